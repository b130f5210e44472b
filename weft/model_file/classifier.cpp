#include "weft/model_file/classifier.h"

#include "weft/core/error.h"
#include "weft/metrics/calibration.h"
#include "weft/model_file/options_in_file.h"

namespace weft::model_file {
namespace {

struct ClassifierHeader {
  int64_t format_version = kFormatVersion;
  std::string type{kClassifier};
  models::ClassifierOptions options;
  models::ClassifierSizes sizes;
  LabelRule rule;
  int64_t max_length = 0;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v);
    v("threshold", rule.threshold, {.min = 0, .max = 1});
    v("temperature", rule.temperature,
      {.min = metrics::kMinTemperature, .max = metrics::kMaxTemperature});
    v("max-length", max_length, {.min = 0});
  }
};

models::Classifier make_classifier(const ClassifierHeader& header, const std::string& path) {
  try {
    return {header.options, header.sizes};
  } catch (const OptionError& error) {
    fail<FormatError>(path, "its options contradict each other: {}", error.what());
  }
}

// All of a session but its parameters.
ClassifierSession open_classifier(ModelFile& file) {
  const auto header = file.header<ClassifierHeader>(kClassifier);
  ClassifierSession session{.model = make_classifier(header, file.path()),
                            .parameters = {},
                            .text = read_text_assets(file, 1),
                            .rule = header.rule,
                            .max_length = header.max_length};
  check_text_assets(session.text, header.sizes.text.vocab, {header.sizes.labels}, file.path());
  return session;
}

void save(const std::string& path, const ClassifierSession& session,
          formats::NamedTensors tensors) {
  ClassifierHeader header;
  header.options = session.model.options;
  header.sizes = session.model.sizes;
  header.rule = session.rule;
  header.max_length = session.max_length;
  save(path, formats::options_to_json(header), std::move(tensors), assets_of(session.text));
}

}  // namespace

ClassifierSession load_classifier(const std::string& path) {
  ModelFile file(path);
  ClassifierSession session = open_classifier(file);
  session.parameters = file.bind(nn::parameters_of(session.model));
  return session;
}

ClassifierSession load_packed_classifier(const std::string& path, Precision precision) {
  ModelFile file(path);
  ClassifierSession session = open_classifier(file);
  file.pack(nn::parameters_of(session.model), precision);
  return session;
}

void save_model(const std::string& path, const ClassifierSession& session, const Tensor& weights) {
  models::Classifier model = session.model;
  save(path, session, tensors_of(nn::parameters_of(model), weights));
}

void save_rounded(const std::string& path, const ClassifierSession& session, Precision precision) {
  models::Classifier model = session.model;
  save(path, session, rounded_tensors_of(nn::parameters_of(model), precision));
}

ClassifierSession new_classifier(const models::ClassifierOptions& options, TextAssets text,
                                 uint64_t seed) {
  const models::ClassifierSizes sizes{.text = sizes_of(*text.tokeniser),
                                      .labels = text.labels.front().size()};
  ClassifierSession session{models::Classifier(options, sizes), {}, std::move(text)};
  const auto parameters = nn::parameters_of(session.model);
  session.parameters = nn::bind(parameters);
  nn::initialise(parameters, seed);
  return session;
}

}  // namespace weft::model_file
