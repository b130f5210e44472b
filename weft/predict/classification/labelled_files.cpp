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

std::shared_ptr<const data::LabelledDataset> read_examples(
    const model_file::ClassifierSession& session, const LabelledFiles& in,
    const data::LabelledTextOptions& text, const data::LabelSet& labels) {
  const models::ClassifierOptions& model = session.model.options;
  if (model.is_text()) {
    const data::LabelledCorpusOptions options{
        .text = text, .tokens = token_params(model, text_limit(session, in.max_length))};
    return std::make_shared<const data::LabelledCorpus>(in.files, options, session.text.tokeniser,
                                                        std::vector{labels});
  }
  const auto reported = [](auto read) {
    log::info("{}", read->report());
    return read;
  };
  if (model.input.is<models::FeatureInput>()) {
    data::FeatureColumns params = feature_params(model, session.model.dims.channels);
    params.bad_files = in.bad_files;
    return reported(std::make_shared<const data::LabelledFeatures>(in.files, text, params, labels));
  }
  return reported(std::make_shared<const data::LabelledImages>(
      in.files,
      data::LabelledImagesOptions{.text = text,
                                  .shape = session.model.dims.image,
                                  .patch = model.input.get<models::ImageInput>().patch_size,
                                  .bad_files = in.bad_files},
      labels));
}

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
  for (const model_file::ClassifierSession& session : sessions) {
    const auto examples = read_examples(session, in, in.fields.reading(), session.labels());
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
  for (const model_file::ClassifierSession& session : sessions) {
    const data::NumberedExamples examples(
        read_examples(session, in, reading_of(in.fields, model.labels), table.texts), table);
    expected = examples.numbers();
    add_results(session, sessions.size(), examples, out);
  }
  return out;
}

}  // namespace weft::predict
