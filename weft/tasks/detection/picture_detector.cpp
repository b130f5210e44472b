#include "weft/tasks/detection/picture_detector.h"

#include "weft/core/chunks.h"
#include "weft/data/images/image_file.h"
#include "weft/tasks/labels/path_lines.h"

namespace weft::tasks {

void PictureDetector::detect_together(std::span<const decode::SourceLine> lines,
                                      std::span<PictureObjects> results) {
  std::vector<data::Image> pictures(lines.size());
  std::vector<std::vector<uint8_t>> pixels(lines.size());
  std::vector<std::optional<std::string>> faults =
      read_paths(lines, report_, [&](size_t i, const std::string& path) {
        pictures[i] = data::read_image(path);
        pixels[i] = data::pixels_of(pictures[i], session_.model.sizes.image);
        pictures[i].pixels = {};  // the size alone is needed
      });
  data::Features batch{{}, session_.model.sizes.image.size(), {}, {}};
  std::vector<size_t> read;
  for (size_t i = 0; i < lines.size(); ++i) {
    results[i].path = lines[i].text;
    results[i].fault = std::move(faults[i]);
    if (results[i].fault) continue;
    batch.values.insert(batch.values.end(), pixels[i].begin(), pixels[i].end());
    batch.segments.append(1);
    read.push_back(i);
  }
  if (read.empty()) return;
  std::vector<std::optional<Objects>> found = find_objects(session_, batch, threshold_);
  const int64_t before = report_.lines - std::ssize(lines);
  for (size_t b = 0; b < read.size(); ++b) {
    if (!found[b]) {
      results[read[b]].fault = decode::kNotFinite;
      report_.not_finite.add(before + static_cast<int64_t>(read[b]) + 1);
      continue;
    }
    const auto width = static_cast<double>(pictures[read[b]].width);
    const auto height = static_cast<double>(pictures[read[b]].height);
    for (metrics::DetectedBox& object : *found[b]) {
      const Box& box = object.box;
      object.box = {box.x * width, box.y * height, box.width * width, box.height * height};
    }
    results[read[b]].objects = std::move(*found[b]);
  }
}

std::vector<PictureObjects> PictureDetector::detect(std::span<const decode::SourceLine> lines) {
  std::vector<PictureObjects> results(lines.size());
  const auto run = [&](std::span<const decode::SourceLine> batch, size_t begin) {
    detect_together(batch, std::span(results).subspan(begin, batch.size()));
  };
  for_each_chunk(lines, mini_batch_, run);
  return results;
}

}  // namespace weft::tasks
