#include "weft/predict/classification/labelled_files.h"

#include <memory>

#include "weft/core/error.h"
#include "weft/core/log.h"
#include "weft/data/images/labelled_images.h"
#include "weft/predict/classification/classifier.h"
#include "weft/predict/classification/evaluation.h"
#include "weft/predict/classification/numbers.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {
namespace {

// What results_of() gave of examples whose labels are known.
void check_finite(const LabelScores& results) {
  for (int64_t i = 0; i < results.texts(); ++i) {
    if (is_finite(results[i])) continue;
    fail<NumericError>("--evaluate", "example {}: {}", i + 1, kNotFiniteText);
  }
}

using ExamplesPtr = std::shared_ptr<const data::LabelledDataset>;

ExamplesPtr read_examples(const model_file::ClassifierSession& session, const LabelledFiles& in,
                          const data::LabelledTextOptions& text, const data::LabelSet& labels) {
  const models::ClassifierOptions& model = session.model.options;
  if (model.is_text()) {
    const data::LabelledCorpusOptions options{
        .text = text, .tokens = token_params(model, text_limit(session, in.max_length))};
    return std::make_shared<const data::LabelledCorpus>(in.files, options, session.text.tokeniser,
                                                        std::vector{labels});
  }
  if (model.input.is<models::FeatureInput>()) {
    data::FeatureColumns params = feature_params(model, session.model.dims.channels);
    params.bad_files = in.bad_files;
    return std::make_shared<const data::LabelledFeatures>(in.files, text, params, labels);
  }
  return std::make_shared<const data::LabelledImages>(
      in.files,
      data::LabelledImagesOptions{.text = text,
                                  .shape = session.model.dims.image,
                                  .patch = model.input.get<models::ImageInput>().patch_size,
                                  .bad_files = in.bad_files},
      labels);
}

// Reads the examples for one model after the other. What is said of the files is said once.
class ExampleReader {
 public:
  ExampleReader(const LabelledFiles& in, data::LabelledTextOptions text)
      : in_(in), text_(std::move(text)) {}

  ExamplesPtr read(const model_file::ClassifierSession& session, const data::LabelSet& labels) {
    ExamplesPtr examples = read_examples(session, in_, text_, labels);
    in_.bad_files = data::unnamed(in_.bad_files);
    if (session.model.options.is_text()) return examples;
    std::string report = examples->report();
    if (report != report_) log::info("{}", report);
    report_ = std::move(report);
    return examples;
  }

 private:
  LabelledFiles in_;
  data::LabelledTextOptions text_;
  std::string report_;
};

// Adds what a model gives for the examples.
void add_results(const model_file::ClassifierSession& session, size_t models,
                 const data::LabelledDataset& examples, LabelScores& sum) {
  const LabelScores part = results_of(session, scores_of(session, examples));
  check_finite(part);
  sum.labels = part.labels;
  sum.values.resize(part.values.size());
  add_share(part.values, models, sum.values);
}

}  // namespace

LabelScores labelled_probabilities(std::span<const model_file::ClassifierSession> sessions,
                                   const LabelledFiles& in, ExpectedLabels& expected) {
  LabelScores out;
  ExampleReader reader(in, in.fields.reading());
  for (const model_file::ClassifierSession& session : sessions) {
    const ExamplesPtr examples = reader.read(session, session.labels());
    expected = expected_labels(*examples);
    add_results(session, sessions.size(), *examples, out);
  }
  return out;
}

LabelScores labelled_numbers(std::span<const model_file::ClassifierSession> sessions,
                             const LabelledFiles& in, std::vector<float>& expected) {
  const models::ClassifierOptions& model = sessions.front().model.options;
  const data::NumberTable table =
      read_numbers(in.files, in.fields, model.input, sessions.front().labels().size());
  LabelScores out;
  ExampleReader reader(in, reading_of(in.fields, model.labels));
  for (const model_file::ClassifierSession& session : sessions) {
    const data::NumberedExamples examples(reader.read(session, table.texts), table);
    expected = examples.numbers();
    add_results(session, sessions.size(), examples, out);
  }
  return out;
}

}  // namespace weft::predict
