#include "weft/inspect/kinds/vector_classifier.h"

#include <fmt/core.h>

#include "weft/data/features/feature_file.h"
#include "weft/inspect/most_probable.h"
#include "weft/inspect/pictures.h"
#include "weft/inspect/trace_maps.h"
#include "weft/predict/classification/label_probabilities.h"

namespace weft::inspect {
namespace {

constexpr int64_t kMostLabels = 10;

// The file as a batch of one, and the axis of its rows.
data::Features read_file(const model_file::ClassifierSession& session, const std::string& path,
                         Example& out) {
  const models::ClassifierOptions& options = session.model.options;
  const data::ImageShape& shape = session.model.dims.image;
  if (const auto* image = options.input.get_if<models::ImageInput>()) {
    const ModelPicture picture = read_picture(path, shape);
    out.axes.push_back(
        {"patches", patch_axis(picture.png, shape, image->patch_size, options.with_begin())});
    return picture.features();
  }
  const int64_t channels = session.model.dims.channels;
  data::FeatureSequence sequence = data::read_features(path);
  if (data::apply(predict::feature_params(options, channels), sequence, path)) {
    out.note = fmt::format("cropped to {} vectors", std::ssize(sequence.values) / channels);
  }
  TokenAxis axis;
  if (options.with_begin()) axis.tokens.emplace_back("class token");
  const int64_t rows = std::ssize(sequence.values) / channels;
  for (int64_t i = 0; i < rows; ++i) axis.tokens.push_back(fmt::format("vector {}", i + 1));
  out.axes.push_back({"vectors", std::move(axis)});
  data::Features features{std::move(sequence.values), channels, {}, {}};
  features.segments.append(rows);
  return features;
}

std::vector<LabelProbability> labels_of(const model_file::ClassifierSession& session,
                                        std::span<const float> probabilities) {
  std::vector<LabelProbability> out;
  for (const int32_t label : most_probable(probabilities, kMostLabels)) {
    out.push_back({session.labels().name(label), probabilities[label]});
  }
  return out;
}

}  // namespace

Example inspect_vectors(const model_file::ClassifierSession& session, const std::string& path,
                        const InspectionOptions&) {
  Example out{.name = {}, .input = path};
  const data::Field input = predict::model_input(session, read_file(session, path, out));
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  const Tensor logits = session.model.logits(input, context).to(DType::kF32);  // [1, labels]
  out.attentions = maps_of(trace, 0, [](const nn::AttentionKey&) { return MapAxes{0, 0}; });
  const auto row = logits.row_range(0, 1).span<float>();
  check_finite(row);
  const predict::LabelScores probabilities =
      predict::probabilities_of({{row.begin(), row.end()}, std::ssize(row)}, session.model.options,
                                session.params.temperature);
  out.labels = labels_of(session, probabilities[0]);
  return out;
}

}  // namespace weft::inspect
