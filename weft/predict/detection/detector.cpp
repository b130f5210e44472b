#include "weft/predict/detection/detector.h"

#include "weft/core/chunks.h"
#include "weft/data/images/image_file.h"
#include "weft/predict/path_lines.h"

namespace weft::predict {

Detector::SizedPixels Detector::sized(const data::Image& picture) const {
  return {.pixels = data::pixels_of(picture, session_.model.sizes.image),
          .width = static_cast<double>(picture.width),
          .height = static_cast<double>(picture.height)};
}

void Detector::find(std::span<const SizedPixels> pictures, std::span<PictureObjects> results) {
  data::Features batch{{}, session_.model.sizes.image.size(), {}, {}};
  std::vector<size_t> read;
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (results[i].fault) continue;
    batch.values.insert(batch.values.end(), pictures[i].pixels.begin(), pictures[i].pixels.end());
    batch.segments.append(1);
    read.push_back(i);
  }
  if (read.empty()) return;
  std::vector<std::optional<Objects>> found = find_objects(session_, batch, threshold_);
  const int64_t before = report_.lines - std::ssize(results);
  for (size_t b = 0; b < read.size(); ++b) {
    const size_t i = read[b];
    if (!found[b]) {
      results[i].fault = kNotFinite;
      report_.not_finite.add(before + static_cast<int64_t>(i) + 1);
      continue;
    }
    const double width = pictures[i].width, height = pictures[i].height;
    for (metrics::DetectedBox& object : *found[b]) {
      const data::Box& box = object.box;
      object.box = {box.x * width, box.y * height, box.width * width, box.height * height};
    }
    results[i].objects = std::move(*found[b]);
  }
}

std::vector<PictureObjects> Detector::detect(std::span<const Line> lines) {
  std::vector<PictureObjects> results(lines.size());
  const auto run = [&](std::span<const Line> batch, size_t begin) {
    const auto out = std::span(results).subspan(begin, batch.size());
    std::vector<SizedPixels> pictures(batch.size());
    std::vector<std::optional<std::string>> faults = read_paths(
        batch, report_,
        [&](size_t i, const std::string& path) { pictures[i] = sized(data::read_image(path)); });
    for (size_t i = 0; i < batch.size(); ++i) {
      out[i].path = batch[i].text;
      out[i].fault = std::move(faults[i]);
    }
    find(pictures, out);
  };
  for_each_chunk(lines, mini_batch_, run);
  return results;
}

std::vector<PictureObjects> Detector::detect(std::span<const data::Image> pictures) {
  std::vector<PictureObjects> results(pictures.size());
  const auto run = [&](std::span<const data::Image> batch, size_t begin) {
    std::vector<SizedPixels> all;
    for (const data::Image& picture : batch) all.push_back(sized(picture));
    report_.lines += std::ssize(batch);
    find(all, std::span(results).subspan(begin, batch.size()));
  };
  for_each_chunk(pictures, mini_batch_, run);
  return results;
}

}  // namespace weft::predict
