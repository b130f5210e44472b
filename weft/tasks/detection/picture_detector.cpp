#include "weft/tasks/detection/picture_detector.h"

#include <algorithm>

#include "weft/data/images/image_file.h"
#include "weft/tasks/labels/path_lines.h"

namespace weft::tasks {

struct PictureDetector::Picture {
  std::vector<uint8_t> pixels;   // resized to what the model reads
  double width = 0, height = 0;  // before
};

void PictureDetector::detect(std::span<const Picture> pictures, std::span<const size_t> lines,
                             std::vector<PictureObjects>& results) const {
  data::Features batch{{}, session_.model.sizes.image.size(), {}, {}};
  for (const size_t i : lines) {
    const std::vector<uint8_t>& pixels = pictures[i].pixels;
    batch.values.insert(batch.values.end(), pixels.begin(), pixels.end());
    batch.segments.append(1);
  }
  std::vector<Objects> found = find_objects(session_, batch, threshold_);
  for (size_t b = 0; b < lines.size(); ++b) {
    const auto& [_, width, height] = pictures[lines[b]];
    for (metrics::DetectedBox& object : found[b]) {
      const Box& box = object.box;
      object.box = {box.x * width, box.y * height, box.width * width, box.height * height};
    }
    results[lines[b]].objects = std::move(found[b]);
  }
}

std::vector<PictureObjects> PictureDetector::detect(std::span<const decode::SourceLine> lines) {
  std::vector<Picture> pictures(lines.size());
  std::vector<std::string> faults =
      read_paths(lines, report_, [&](size_t i, const std::string& path) {
        const data::Image image = data::read_image(path);
        pictures[i] = {data::pixels_of(image, session_.model.sizes.image),
                       static_cast<double>(image.width), static_cast<double>(image.height)};
      });
  std::vector<PictureObjects> results(lines.size());
  std::vector<size_t> waiting;
  for (size_t i = 0; i < lines.size(); ++i) {
    results[i].path = lines[i].text;
    results[i].fault = std::move(faults[i]);
    if (results[i].fault.empty()) waiting.push_back(i);
  }
  const auto most = static_cast<size_t>(mini_batch_);
  for (size_t begin = 0; begin < waiting.size(); begin += most) {
    const size_t count = std::min(most, waiting.size() - begin);
    detect(pictures, std::span(waiting).subspan(begin, count), results);
  }
  return results;
}

}  // namespace weft::tasks
