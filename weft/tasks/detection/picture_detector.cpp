#include "weft/tasks/detection/picture_detector.h"

#include "weft/data/images/image_file.h"
#include "weft/tasks/labels/path_lines.h"

namespace weft::tasks {

struct PictureDetector::Waiting {
  data::Features pictures;
  struct Size {
    size_t line;
    double width, height;
  };
  std::vector<Size> sizes;  // of each before it was resized
};

bool PictureDetector::read(const decode::SourceLine& line, PictureObjects& result,
                           Waiting& waiting) {
  result.path = line.text;
  result.fault = read_path(line, report_, [&](const std::string& path) {
    const data::Image image = data::read_image(path);
    const std::vector<uint8_t> pixels = data::pixels_of(image, session_.model.sizes.image);
    waiting.pictures.values.insert(waiting.pictures.values.end(), pixels.begin(), pixels.end());
    waiting.pictures.segments.append(1);
    waiting.sizes.push_back(
        {0, static_cast<double>(image.width), static_cast<double>(image.height)});
  });
  return result.fault.empty();
}

void PictureDetector::run(Waiting& waiting, std::vector<PictureObjects>& results) const {
  if (!waiting.sizes.empty()) {
    std::vector<Objects> found = find_objects(session_, waiting.pictures, threshold_);
    for (size_t i = 0; i < found.size(); ++i) {
      const Waiting::Size& size = waiting.sizes[i];
      for (metrics::DetectedBox& object : found[i]) {
        const Box& box = object.box;
        object.box = {box.x * size.width, box.y * size.height, box.width * size.width,
                      box.height * size.height};
      }
      results[size.line].objects = std::move(found[i]);
    }
  }
  waiting = {};
  waiting.pictures.width = session_.model.sizes.image.size();
}

std::vector<PictureObjects> PictureDetector::detect(std::span<const decode::SourceLine> lines) {
  std::vector<PictureObjects> results(lines.size());
  Waiting waiting;
  run(waiting, results);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!read(lines[i], results[i], waiting)) continue;
    waiting.sizes.back().line = i;
    if (std::ssize(waiting.sizes) == mini_batch_) run(waiting, results);
  }
  run(waiting, results);
  return results;
}

}  // namespace weft::tasks
