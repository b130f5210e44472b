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
  data::ChannelStatistics statistics;
  LabelRule rule;
  data::ChannelStatistics numbers;
  int64_t max_length = 0;
  data::LabelledFields trained_on;

  template <class V>
  void fields(V& v) {
    v("format-version", format_version, {.min = 1});
    v("type", type);
    InFile<V> in_file{v};
    options.fields(in_file);
    sizes.fields(v, options.input);
    options::belongs_to<models::ImageInput, models::FeatureInput>(
        v, "input", &options.input.selection(), [&] { statistics.fields(v); });
    options::belongs_to<models::NumberLabels>(v, "labels", &options.labels.selection(), [&] {
      v("number-mean", numbers.mean,
        {.help = "of each number", .min = -3.5e38, .max = 3.5e38, .omitted_if = ""});
      v("number-deviation", numbers.deviation,
        {.help = "of each number", .min = 1e-45, .max = 3.5e38, .omitted_if = ""});
    });
    v("threshold", rule.threshold, {.min = 0, .max = 1});
    v("temperature", rule.temperature,
      {.min = metrics::kMinTemperature, .max = metrics::kMaxTemperature});
    v("max-length", max_length, {.min = 0});
    trained_on.fields(v);
  }
};

void check_all_statistics(const ClassifierHeader& header, const std::string& path) {
  if (!header.options.is_text()) {
    const bool has_features = header.options.input.is<models::FeatureInput>();
    check_statistics(header.statistics,
                     has_features ? header.sizes.channels : header.sizes.image.channels, "channel",
                     path);
  }
  check_statistics(header.numbers, header.options.has_numbers() ? header.sizes.labels : 0, "number",
                   path);
}

}  // namespace

ClassifierSession ClassifierSession::open(ModelFile& file) {
  const auto header = file.header<ClassifierHeader>(kKind);
  const auto make = [&] { return models::Classifier(header.options, header.sizes); };
  ClassifierSession session{.model = make_model(file, make),
                            .parameters = {},
                            .text = header.options.is_text()
                                        ? read_text_assets(file, 1)
                                        : TextAssets{.labels = read_label_sets(file, 1)},
                            .statistics = header.statistics,
                            .rule = header.rule,
                            .numbers = header.numbers,
                            .max_length = header.max_length,
                            .trained_on = header.trained_on};
  if (session.trained_on.is_known() && session.trained_on.text_labels.size() != 1) {
    fail<FormatError>(file.path(), "text-labels: expected one field, got {}",
                      session.trained_on.text_labels.size());
  }
  check_all_statistics(header, file.path());
  check_text_assets(session.text, header.sizes.text.vocab, {header.sizes.labels}, file.path());
  return session;
}

Contents ClassifierSession::contents() const {
  ClassifierHeader header;
  header.options = model.options;
  header.sizes = model.sizes;
  header.statistics = statistics;
  header.rule = rule;
  header.numbers = numbers;
  header.max_length = max_length;
  header.trained_on = trained_on;
  return {options::options_to_json(header), assets_of(text)};
}

ClassifierSession new_classifier(const models::ClassifierOptions& options, ClassifierAssets assets,
                                 uint64_t seed) {
  models::ClassifierSizes sizes{.image = assets.image,
                                .channels = assets.channels,
                                .labels = assets.text.labels.front().size()};
  if (assets.text.tokeniser) sizes.text = sizes_of(*assets.text.tokeniser);
  ClassifierSession session{.model = models::Classifier(options, sizes),
                            .parameters = {},
                            .text = std::move(assets.text),
                            .statistics = std::move(assets.statistics),
                            .numbers = std::move(assets.numbers)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
