#include "weft/model_file/classifier.h"

#include "weft/metrics/calibration.h"
#include "weft/model_file/options_in_file.h"

namespace weft::model_file {
namespace {

struct ClassifierHeader {
  int64_t format_version = kFormatVersion;
  std::string type{ClassifierSession::kKind};
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

}  // namespace

ClassifierSession ClassifierSession::open(ModelFile& file) {
  const auto header = file.header<ClassifierHeader>(kKind);
  const auto make = [&] { return models::Classifier(header.options, header.sizes); };
  ClassifierSession session{.model = make_model(file, make),
                            .parameters = {},
                            .text = read_text_assets(file, 1),
                            .rule = header.rule,
                            .max_length = header.max_length};
  check_text_assets(session.text, header.sizes.text.vocab, {header.sizes.labels}, file.path());
  return session;
}

Contents ClassifierSession::contents() const {
  ClassifierHeader header;
  header.options = model.options;
  header.sizes = model.sizes;
  header.rule = rule;
  header.max_length = max_length;
  return {formats::options_to_json(header), assets_of(text)};
}

ClassifierSession new_classifier(const models::ClassifierOptions& options, TextAssets text,
                                 uint64_t seed) {
  const models::ClassifierSizes sizes{.text = sizes_of(*text.tokeniser),
                                      .labels = text.labels.front().size()};
  ClassifierSession session{models::Classifier(options, sizes), {}, std::move(text)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
