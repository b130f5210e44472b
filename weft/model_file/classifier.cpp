#include "weft/model_file/classifier.h"

#include <algorithm>

#include "weft/metrics/calibration.h"
#include "weft/model_file/header.h"

namespace weft::model_file {
namespace {

// What the file says beside the options of the network.
struct ClassifierMetadata {
  models::ClassifierDims dims;
  data::ChannelStatistics statistics;
  LabelParams params;
  data::ChannelStatistics numbers;
  int64_t max_length = 0;
  data::LabelledFields trained_on;

  template <class V>
  void fields(V& v, const models::ClassifierOptions& options) {
    dims.fields(v, options.input);
    options::belongs_to<models::ImageInput, models::FeatureInput>(
        v, "input", &options.input.selection(), [&] { statistics.fields(v); });
    options::belongs_to<models::NumberLabels>(v, "labels", &options.labels.selection(), [&] {
      v("number-mean", numbers.mean,
        {.help = "of each number", .min = -3.5e38, .max = 3.5e38, .omitted_if = ""});
      v("number-deviation", numbers.deviation,
        {.help = "of each number", .min = 1e-45, .max = 3.5e38, .omitted_if = ""});
    });
    v("threshold", params.threshold, {.min = 0, .max = 1});
    v("temperature", params.temperature,
      {.min = metrics::kMinTemperature, .max = metrics::kMaxTemperature});
    v("max-length", max_length, {.min = 0});
    trained_on.fields(v);
  }
};

void check_all_statistics(const models::ClassifierOptions& options,
                          const ClassifierMetadata& metadata, const std::string& path) {
  if (!options.is_text()) {
    const bool has_features = options.input.is<models::FeatureInput>();
    check_statistics(metadata.statistics,
                     has_features ? metadata.dims.channels : metadata.dims.image.channels,
                     "channel", path);
  }
  check_statistics(metadata.numbers, options.has_numbers() ? metadata.dims.labels : 0, "number",
                   path);
}

}  // namespace

ClassifierSession ClassifierSession::open(ContentsReader& file) {
  const auto header = read_header<ClassifierSession, ClassifierMetadata>(file);
  const auto make = [&] { return models::Classifier(header.options, header.metadata.dims); };
  ClassifierSession session{.model = make_model(file, make),
                            .parameters = {},
                            .text = header.options.is_text()
                                        ? read_text_assets(file, 1)
                                        : TextAssets{.labels = read_label_sets(file, 1)},
                            .statistics = header.metadata.statistics,
                            .params = header.metadata.params,
                            .numbers = header.metadata.numbers,
                            .max_length = header.metadata.max_length,
                            .trained_on = header.metadata.trained_on};
  if (session.trained_on.is_known() && session.trained_on.text_labels.size() != 1) {
    fail<FormatError>(file.path(), "text-labels: expected one field, got {}",
                      session.trained_on.text_labels.size());
  }
  check_all_statistics(header.options, header.metadata, file.path());
  check_text_assets(session.text, header.metadata.dims.text.vocab, {header.metadata.dims.labels},
                    file.path());
  return session;
}

Contents ClassifierSession::contents() const {
  return contents_of(
      *this, ClassifierMetadata{model.dims, statistics, params, numbers, max_length, trained_on},
      assets_of(text));
}

ClassifierSession ClassifierSession::exportable() const {
  ClassifierSession out = *this;
  const int64_t symbols = model.options.with_begin() ? 2 : 1;
  out.max_length =
      std::min(max_length, std::max<int64_t>(1, model.options.table_capacity() - symbols));
  if (!model.options.has_numbers()) return out;
  out.parameters = parameters.clone();
  nn::bind_to(nn::parameters_of(out.model), out.parameters);
  const Tensor weight = out.model.output.weight.value, bias = out.model.output.bias.value;
  for (int64_t n = 0; n < weight.rows(); ++n) {
    const auto i = static_cast<size_t>(n);
    const double mean = numbers.mean[i], deviation = numbers.deviation[i];
    for (int64_t c = 0; c < weight.cols(); ++c) {
      float& w = weight.data<float>()[n * weight.cols() + c];
      w = static_cast<float>(w * deviation);
    }
    float& b = bias.data<float>()[n];
    b = static_cast<float>(b * deviation + mean);
    out.numbers.mean[i] = 0;
    out.numbers.deviation[i] = 1;
  }
  return out;
}

ClassifierSession new_classifier(const models::ClassifierOptions& options, ClassifierAssets assets,
                                 uint64_t seed) {
  models::ClassifierDims dims{.image = assets.image,
                              .channels = assets.channels,
                              .labels = assets.text.labels.front().size()};
  if (assets.text.tokeniser) dims.text = dims_of(*assets.text.tokeniser);
  ClassifierSession session{.model = models::Classifier(options, dims),
                            .parameters = {},
                            .text = std::move(assets.text),
                            .statistics = std::move(assets.statistics),
                            .numbers = std::move(assets.numbers)};
  initialise(session, seed);
  return session;
}

}  // namespace weft::model_file
