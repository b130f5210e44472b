#include "weft/predict/detection/detector.h"

#include "weft/core/chunks.h"
#include "weft/data/images/image_file.h"
#include "weft/predict/detection/objects.h"
#include "weft/predict/path_lines.h"

namespace weft::predict {

Detector::Request Detector::read(const data::Image& picture) const {
  return {.pixels = data::pixels_of(picture, session_.model.dims.image),
          .width = static_cast<double>(picture.width),
          .height = static_cast<double>(picture.height)};
}

Prepared<Detector::Request> Detector::prepare(std::span<const Line> lines, Report& report) const {
  Prepared<Request> out(lines.size(), report);
  std::vector<Request> pictures(lines.size());
  const std::vector<std::optional<Fault>> faults = read_paths(
      lines, out.first,
      [&](size_t i, const std::string& path) { pictures[i] = read(data::read_image(path)); });
  for (size_t i = 0; i < lines.size(); ++i) {
    out.add(i, std::move(pictures[i]), faults[i], report);
  }
  return out;
}

Prepared<Detector::Request> Detector::prepare(std::span<const data::Image> pictures,
                                              Report& report) const {
  Prepared<Request> out(pictures.size(), report);
  for (size_t i = 0; i < pictures.size(); ++i) out.add(i, read(pictures[i]));
  return out;
}

std::vector<Detector::Answer> Detector::run(std::span<Request> requests) const {
  std::vector<Answer> out;
  for (const std::span<Request> pictures : chunks(requests, mini_batch_)) {
    data::Features batch{{}, session_.model.dims.image.size(), {}, {}};
    for (const Request& picture : pictures) {
      batch.values.insert(batch.values.end(), picture.pixels.begin(), picture.pixels.end());
      batch.segments.append(1);
    }
    std::vector<Answer> found = find_objects(session_, batch, threshold_);
    for (size_t b = 0; b < found.size(); ++b) {
      const double width = pictures[b].width, height = pictures[b].height;
      if (found[b]) {
        for (metrics::DetectedBox& object : *found[b]) {
          const data::Box& box = object.box;
          object.box = {box.x * width, box.y * height, box.width * width, box.height * height};
        }
      }
      out.push_back(std::move(found[b]));
    }
  }
  return out;
}

std::vector<PictureObjects> Detector::finish(const Prepared<Request>& prepared,
                                             std::span<Answer> answers, Report& report) const {
  std::vector<PictureObjects> out(prepared.inputs.size());
  prepared.for_each_input(answers, [&](size_t i, std::span<Answer> found) {
    out[i].fault = prepared.inputs[i].fault;
    if (found.empty()) return;
    if (found.front()) {
      out[i].objects = std::move(*found.front());
    } else {
      out[i].fault = prepared.not_finite(i, report);
    }
  });
  return out;
}

}  // namespace weft::predict
