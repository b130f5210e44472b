#include "weft/tasks/detection/augmented_pictures.h"

#include "weft/data/boxes/box.h"

namespace weft::tasks {
namespace {

constexpr double kLeastInside = 0.25;  // of a box's area

// The box after a picture has been changed, both as shares of its size.
data::Box moved(data::Box box, const data::Placement& placement, const data::ImageShape& shape) {
  box.x += static_cast<double>(placement.right) / static_cast<double>(shape.width);
  box.y += static_cast<double>(placement.down) / static_cast<double>(shape.height);
  if (placement.is_flipped) box.x = 1 - box.right();
  return box;
}

}  // namespace

data::Batch augmented(data::Batch batch, const PictureAugmentation& with,
                      const nn::Context& context) {
  auto& pictures = std::get<data::Features>(batch.fields[0]);
  const auto& labels = std::get<data::Labels>(batch.fields[1]);
  const auto& boxes = std::get<data::Features>(batch.fields[2]);
  data::Labels labels_inside;
  data::Features boxes_inside;
  boxes_inside.width = boxes.width;
  labels_inside.segments.first = boxes_inside.segments.first = pictures.segments.first;
  const auto width = static_cast<size_t>(pictures.width);
  for (int64_t b = 0; b < pictures.examples(); ++b) {
    RandomStream random = nn::augmentation_stream(context, pictures.segments, b);
    const std::span<float> picture =
        std::span(pictures.values).subspan(static_cast<size_t>(b) * width, width);
    const data::Placement placement =
        data::augment(picture, with.shape, with.statistics, with.options, random);
    std::vector<int32_t> ids;
    for (int32_t i = boxes.segments.begin(b); i < boxes.segments.end(b); ++i) {
      const float* row = boxes.values.data() + 4 * int64_t{i};
      const data::Box box =
          moved(data::Box::around(row[0], row[1], row[2], row[3]), placement, with.shape);
      const data::Box inside = data::intersection(box, {0, 0, 1, 1});
      if (inside.area() < kLeastInside * box.area()) continue;
      for (const double share : {inside.x + inside.width / 2, inside.y + inside.height / 2,
                                 inside.width, inside.height}) {
        boxes_inside.values.push_back(static_cast<float>(share));
      }
      ids.push_back(labels.ids[i]);
    }
    labels_inside.add(ids);
    boxes_inside.segments.append(std::ssize(ids));
  }
  batch.fields[1] = std::move(labels_inside);
  batch.fields[2] = std::move(boxes_inside);
  return batch;
}

}  // namespace weft::tasks
