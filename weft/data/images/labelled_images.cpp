#include "weft/data/images/labelled_images.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/data/images/idx.h"
#include "weft/data/images/image_file.h"
#include "weft/data/labels/listed_file.h"
#include "weft/data/standard_input.h"

namespace weft::data {
namespace {

namespace fs = std::filesystem;
using TakeImage = std::function<void(const LabelledImage&)>;

// The entries of a folder in byte order, but for hidden ones.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with('.')) out.push_back(it->path());
  }
  if (error) fail<FileError>(folder.string(), "{}", error.message());
  std::ranges::sort(out);
  return out;
}

void read_idx(const std::vector<std::string>& files, const TakeImage& take) {
  const auto images = std::make_shared<const IdxImages>(read_idx_images(files[0]));
  const std::vector<uint8_t> labels = read_idx_labels(files[1]);
  if (std::ssize(labels) != images->count) {
    fail<FormatError>(files[1], "{} labels; expected {}, one for each picture in {}", labels.size(),
                      images->count, files[0]);
  }
  for (int64_t i = 0; i < images->count; ++i) {
    take({.where = files[1],
          .labels = {std::to_string(labels[static_cast<size_t>(i)])},
          .read = [images, i] { return images->image(i); }});
  }
}

void read_folders(const std::vector<std::string>& folders, const TakeImage& take) {
  for (const std::string& folder : folders) {
    int64_t pictures = 0;
    std::string loose;  // a file beside the folders of labels
    for (const fs::path& label : entries_of(folder)) {
      std::error_code none;
      if (!fs::is_directory(label, none)) {
        loose = label.string();
        take({.where = label.string(), .labels = {}, .read = [label]() -> Image {
                fail<FormatError>(label.string(), "expected a folder of pictures for each label");
              }});
        continue;
      }
      for (const fs::path& picture : entries_of(label)) {
        ++pictures;
        take({.where = picture.string(), .labels = {label.filename().string()}, .read = [picture] {
                return read_image(picture.string());
              }});
      }
    }
    if (pictures == 0) {
      fail<FormatError>(loose.empty() ? folder : loose,
                        "{}expected a folder of pictures for each label",
                        loose.empty() ? "no picture; " : "");
    }
  }
}

void read_text(const std::vector<std::string>& files, const LabelledTextOptions& text,
               const TakeImage& take) {
  const fs::path folder = fs::path(files.front()).parent_path();
  read_labelled_text(files, text, [&](const LabelledText& line) {
    const LabelledExample& example = line.example();
    const std::vector<std::string_view>& labels = example.labels.front();
    const std::string where = line.where();
    const ListedFile file{folder, std::string(example.text),
                          std::string(labels.empty() ? "" : labels.front())};
    take({.where = where, .labels = {labels.begin(), labels.end()}, .read = [file, where] {
            return read_listed(file, kSwappedLabels,
                               [&](const std::string& path) { return read_image_of(path, where); });
          }});
  });
}

}  // namespace

ImageLayout image_layout_of(const std::vector<std::string>& files) {
  std::error_code none;
  if (fs::is_directory(files.front(), none)) return ImageLayout::kFolders;
  if (files.front() == kStandardInput || !is_idx(files.front())) return ImageLayout::kText;
  if (files.size() == 2) return ImageLayout::kIdx;
  fail<FormatError>(files.front(),
                    "pictures or labels of the MNIST form; expected two files, pictures and their "
                    "labels, got {}",
                    files.size());
}

void read_labelled_images(const std::vector<std::string>& files, const LabelledTextOptions& text,
                          const TakeImage& take) {
  switch (image_layout_of(files)) {
    case ImageLayout::kIdx: return read_idx(files, take);
    case ImageLayout::kFolders: return read_folders(files, take);
    case ImageLayout::kText: return read_text(files, text, take);
  }
}

LabelSet collect_image_labels(const std::vector<std::string>& files,
                              const LabelledTextOptions& text) {
  LabelCounter counter;
  read_labelled_images(files, text, [&](const LabelledImage& image) {
    for (const std::string& label : image.labels) counter.add(label);
  });
  return counter.labels(joined_names(files));
}

LabelledImages::LabelledImages(const std::vector<std::string>& files, LabelledImagesOptions options,
                               const LabelSet& labels)
    : options_(std::move(options)), name_(joined_names(files)), skipped_(options_.bad_files) {
  ImageShape& shape = options_.shape;
  read_labelled_images(files, options_.text, [&](const LabelledImage& in) {
    std::vector<int32_t> ids;
    for (const std::string& label : in.labels) ids.push_back(labels.id(label, in.where));
    std::ranges::sort(ids);
    const std::optional<Image> image = skipped_.read(in.read);
    if (!image) return;
    complete(shape, *image);
    resized_ += image->height != shape.height || image->width != shape.width ? 1 : 0;
    const std::vector<uint8_t> pixels = pixels_of(*image, shape);
    pixels_.insert(pixels_.end(), pixels.begin(), pixels.end());
    labels_.push_back(std::move(ids));
  });
  if (labels_.empty()) fail<FormatError>(name_, "no picture; expected at least one");
}

Batch LabelledImages::batch(std::span<const int64_t> examples) const {
  Features pictures;
  pictures.width = options_.shape.size();
  Labels labels;
  for (const int64_t number : examples) {
    const auto first = pixels_.begin() + number * pictures.width;
    pictures.values.insert(pictures.values.end(), first, first + pictures.width);
    pictures.segments.append(1);
    labels.add(labels_[static_cast<size_t>(number)]);
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(pictures));
  out.fields.emplace_back(std::move(labels));
  return out;
}

uint64_t LabelledImages::fingerprint() const {
  Hash hash;
  hash.add(pixels_.size());
  for (const uint8_t pixel : pixels_) hash.add(pixel);
  for (const std::vector<int32_t>& ids : labels_) {
    hash.add(ids.size());
    for (const int32_t id : ids) hash.add(static_cast<uint32_t>(id));
  }
  return hash.value();
}

std::string LabelledImages::report() const {
  std::string out = fmt::format("{}: {} of {} x {}", name_, counted(size(), "picture"),
                                options_.shape.height, options_.shape.width);
  if (options_.shape.channels == 3) out += ", in colour";
  if (resized_ > 0) out += fmt::format("; {} resized", resized_);
  return out + skipped_.report();
}

}  // namespace weft::data
