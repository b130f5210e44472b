#include "weft/data/boxes/labelled_boxes.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/data/images/image_file.h"

namespace weft::data {
namespace {

// How far a box may reach beyond its picture, in pixels.
constexpr double kRounding = 1;

Image read_picture(const PictureBoxes& picture) {
  try {
    return read_image(picture.image);
  } catch (const Error& error) {
    fail<FormatError>(picture.where, "{}", error.what());
  }
}

std::string text_of(const Box& box) {
  return fmt::format("[{}, {}, {}, {}]", box.x, box.y, box.width, box.height);
}

}  // namespace

BadBoxes bad_boxes_named(std::string_view name) {
  if (name == "refuse") return BadBoxes::kRefuse;
  if (name == "clip") return BadBoxes::kClip;
  if (name == "skip") return BadBoxes::kSkip;
  fail<OptionError>("--bad-boxes", "expected refuse, clip or skip, got {}", quote(name));
}

LabelSet collect_box_labels(const std::vector<std::string>& files,
                            const LabelledBoxesOptions& options) {
  LabelCounter counter;
  SkippedFiles skipped(unnamed(options.bad_files));
  bool is_empty = true;
  read_boxed_pictures(files, options.image_folder, skipped, [&](const PictureBoxes& picture) {
    is_empty = false;
    for (const LabelledBox& box : picture.boxes) counter.add(box.label);
  });
  if (is_empty && !skipped.first_fault().empty()) {
    fail<FormatError>(joined_names(files), "no picture is left{}; the first fault: {}",
                      skipped.report(), skipped.first_fault());
  }
  return counter.labels(joined_names(files));
}

LabelledBoxes::LabelledBoxes(const std::vector<std::string>& files, LabelledBoxesOptions options,
                             const LabelSet& labels)
    : options_(std::move(options)), name_(joined_names(files)), skipped_files_(options_.bad_files) {
  boxes_.width = 4;
  read_boxed_pictures(files, options_.image_folder, skipped_files_,
                      [&](const PictureBoxes& picture) { add(picture, labels); });
  if (size() == 0) {
    fail<FormatError>(name_, "no picture{}; expected at least one", skipped_files_.report());
  }
}

bool LabelledBoxes::correct(LabelledBox& box, const Image& image) {
  const double width = static_cast<double>(image.width), height = static_cast<double>(image.height);
  const Box given = box.box, inside = intersection(given, {0, 0, width, height});
  const bool is_inside = given.x >= -kRounding && given.y >= -kRounding &&
                         given.right() <= width + kRounding && given.bottom() <= height + kRounding;
  const bool has_area = given.width > 0 && given.height > 0 && inside.area() > 0;
  box.box = inside;
  if (is_inside && has_area) return true;
  if (options_.bad_boxes == BadBoxes::kRefuse) {
    fail<FormatError>(box.where,
                      "the box {} of a picture of {} by {} pixels; expected one inside it, with a "
                      "width and a height; hint: --bad-boxes clip or skip",
                      text_of(given), image.width, image.height);
  }
  const bool is_kept = options_.bad_boxes == BadBoxes::kClip && has_area;
  ++(is_kept ? clipped_ : skipped_);
  return is_kept;
}

void LabelledBoxes::add(const PictureBoxes& picture, const LabelSet& labels) {
  const std::optional<Image> read = skipped_files_.read([&] { return read_picture(picture); });
  if (!read) return;
  const Image& image = *read;
  ImageShape& shape = options_.shape;
  if (shape.height == 0) shape.height = image.height;
  if (shape.width == 0) shape.width = image.width;
  if (shape.channels == 0) shape.channels = image.channels;
  resized_ += image.height != shape.height || image.width != shape.width ? 1 : 0;
  crowds_ += picture.crowds;
  int64_t count = 0;
  for (LabelledBox box : picture.boxes) {
    const int32_t label = labels.id(box.label, box.where);
    if (!correct(box, image)) continue;
    const auto width = static_cast<double>(image.width), height = static_cast<double>(image.height);
    const Box& b = box.box;
    for (const double share : {(b.x + b.width / 2) / width, (b.y + b.height / 2) / height,
                               b.width / width, b.height / height}) {
      boxes_.values.push_back(static_cast<float>(share));
    }
    labels_.push_back(label);
    ++count;
  }
  boxes_.segments.append(count);
  const std::vector<uint8_t> pixels = pixels_of(image, shape);
  pixels_.insert(pixels_.end(), pixels.begin(), pixels.end());
}

Batch LabelledBoxes::batch(std::span<const int64_t> examples) const {
  Features pictures, boxes;
  pictures.width = options_.shape.size();
  boxes.width = 4;
  Labels labels;
  for (const int64_t number : examples) {
    const auto first = pixels_.begin() + number * pictures.width;
    pictures.values.insert(pictures.values.end(), first, first + pictures.width);
    pictures.segments.append(1);
    labels.add(boxes_.segments.span(labels_, number));
    boxes.values.insert(boxes.values.end(),
                        boxes_.values.begin() + 4 * int64_t{boxes_.segments.begin(number)},
                        boxes_.values.begin() + 4 * int64_t{boxes_.segments.end(number)});
    boxes.segments.append(boxes_.segments.length(number));
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(pictures));
  out.fields.emplace_back(std::move(labels));
  out.fields.emplace_back(std::move(boxes));
  return out;
}

uint64_t LabelledBoxes::fingerprint() const {
  Hash hash;
  hash.add(pixels_.size());
  for (const uint8_t pixel : pixels_) hash.add(pixel);
  for (const int32_t offset : boxes_.segments.offsets) hash.add(static_cast<uint32_t>(offset));
  for (const int32_t id : labels_) hash.add(static_cast<uint32_t>(id));
  for (const float value : boxes_.values) hash.add(std::bit_cast<uint32_t>(value));
  return hash.value();
}

int64_t LabelledBoxes::most_boxes() const {
  int64_t most = 0;
  for (int64_t example = 0; example < size(); ++example) most = std::max(most, box_count(example));
  return most;
}

std::string LabelledBoxes::report() const {
  std::string out = fmt::format("{}: {} of {} x {}", name_, counted(size(), "picture"),
                                options_.shape.height, options_.shape.width);
  if (options_.shape.channels == 3) out += ", in colour";
  out += fmt::format(", {}", box_count() == 1 ? "1 box" : fmt::format("{} boxes", box_count()));
  if (resized_ > 0) out += fmt::format("; {} resized", resized_);
  if (clipped_ > 0) out += fmt::format("; {} boxes clipped", clipped_);
  if (skipped_ > 0) out += fmt::format("; {} boxes skipped", skipped_);
  if (crowds_ > 0) out += fmt::format("; {} boxes of crowds left out", crowds_);
  return out + skipped_files_.report();
}

}  // namespace weft::data
