#include "weft/inspect/kinds/detector.h"

#include <algorithm>

#include "weft/inspect/pictures.h"
#include "weft/inspect/trace_maps.h"
#include "weft/ops/softmax.h"

namespace weft::inspect {
namespace {

enum : size_t { kPatches, kQueries };  // the axes of an example

// Each query's most probable label, excluding "no object", and its box.
BoxAxis box_axis(const std::string& png, const models::BoxPredictions& found,
                 const data::LabelSet& labels) {
  BoxAxis out{.png = png, .boxes = {}};
  const Tensor scores = ops::softmax(found.logits.to(DType::kF32), nullptr);  // [N, C + 1]
  const Tensor boxes = found.boxes.to(DType::kF32);                           // [N, 4]
  for (int64_t n = 0; n < scores.rows(); ++n) {
    const auto row = scores.row_range(n, n + 1).span<float>().first(labels.size());
    const auto best = std::ranges::max_element(row);
    const float* box = boxes.row_range(n, n + 1).data<float>();
    out.boxes.push_back({.label = labels.name(static_cast<int32_t>(best - row.begin())),
                         .probability = *best,
                         .box = data::intersection(
                             data::Box::around(box[0], box[1], box[2], box[3]), {0, 0, 1, 1})});
  }
  return out;
}

}  // namespace

Example inspect(const model_file::DetectorSession& session, std::string_view path,
                const InspectionOptions&) {
  Example out{.name = {}, .input = std::string(path)};
  const data::ImageShape& shape = session.model.dims.image;
  const ModelPicture picture = read_picture(out.input, shape);
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  const models::BoxPredictions found =
      session.model(data::patches_of(picture.features(), session.patches()), context);
  out.axes = {
      {"patches", patch_axis(picture.png, shape, session.model.options.image.patch_size, false)},
      {"queries", box_axis(picture.png, found, session.labels)}};
  out.attentions = maps_of(trace, 0, [](const nn::AttentionKey& key) {
    if (key.stack == "encoder") return MapAxes{kPatches, kPatches};
    return MapAxes{kQueries, key.role == nn::AttentionRole::kSelf ? kQueries : kPatches};
  });
  return out;
}

std::vector<PositionMaps> positions_of(const model_file::DetectorSession& session) {
  const models::Detector& model = session.model;
  return position_maps({{"encoder", model.encoder.position, model.encoder.options,
                         rows_of_patches(model.dims.image, model.options.image.patch_size)}});
}

void check_options(const model_file::DetectorSession&, const InspectionOptions& options) {
  check_read(options, {}, "with a detector");
}

}  // namespace weft::inspect
