#include "weft/data/views/view_pairs.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "weft/core/error.h"
#include "weft/core/hash.h"
#include "weft/core/text/counted.h"
#include "weft/data/file_names.h"
#include "weft/data/images/image_file.h"
#include "weft/data/views/pictures.h"

namespace weft::data {
namespace {

void add_bytes(Hash& hash, const std::vector<uint8_t>& bytes) {
  hash.add(bytes.size());
  for (const uint8_t byte : bytes) hash.add(byte);
}

std::string size_text(int64_t pairs, const ImageShape& shape) {
  return fmt::format("{} of {} x {}{}", counted(pairs, "pair"), shape.height, shape.width,
                     shape.channels == 3 ? ", in colour" : "");
}

// Pairs whose pixels are in memory.
class StoredPairs : public ViewPairs {
 public:
  StoredPairs(const std::vector<std::string>& files, const ViewPairsOptions& options)
      : ViewPairs(options.shape, options.patch),
        name_(joined_names(files)),
        skipped_(options.bad_files) {
    for (const std::string& file : files) add(read_pair_list(file));
    if (size_ == 0) fail<FormatError>(name_, "no pair is left{}", skipped_.report());
  }
  StoredPairs(const PairList& list, const ViewPairsOptions& options)
      : ViewPairs(options.shape, options.patch), name_(list.name), skipped_(options.bad_files) {
    add(list);
  }
  StoredPairs(std::span<const PicturePair> pairs, const ViewPairsOptions& options)
      : ViewPairs(options.shape, options.patch), name_("pairs"), skipped_(options.bad_files) {
    if (pairs.empty()) fail<FormatError>(name_, "none; expected at least one");
    for (const PicturePair& pair : pairs) add(pair);
  }

  int64_t size() const override { return size_; }
  int64_t numbers() const override { return count_; }
  ViewPair pair(int64_t example, RandomStream&) const override {
    const int64_t view = shape_.size();
    const auto pixels = pixels_.begin() + 2 * example * view;
    const auto numbers = numbers_.begin() + example * count_;
    return {.first = {pixels, pixels + view},
            .second = {pixels + view, pixels + 2 * view},
            .numbers = {numbers, numbers + count_}};
  }
  ChannelStatistics statistics() const override {
    return pixel_statistics(pixels_, shape_.channels);
  }
  ChannelStatistics number_statistics() const override {
    ChannelStatistics out;
    const auto pairs = static_cast<double>(size_);
    for (int64_t k = 0; k < count_; ++k) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < size_; ++i) sum += numbers_[static_cast<size_t>(i * count_ + k)];
      for (int64_t i = 0; i < size_; ++i) {
        const double d = numbers_[static_cast<size_t>(i * count_ + k)] - sum / pairs;
        squares += d * d;
      }
      out.mean.push_back(sum / pairs);
      out.deviation.push_back(squares > 0 ? std::sqrt(squares / pairs) : 1);
    }
    return out;
  }
  uint64_t fingerprint() const override {
    Hash hash;
    add_bytes(hash, pixels_);
    for (const float number : numbers_) hash.add(std::bit_cast<uint32_t>(number));
    return hash.value();
  }
  std::string report() const override {
    std::string out = fmt::format("{}: {}", name_, size_text(size_, shape_));
    if (count_ > 0) out += fmt::format(", {} numbers each", count_);
    if (resized_ > 0) out += fmt::format("; {} resized", counted(resized_, "picture"));
    return out + skipped_.report();
  }

 private:
  void add(const PairList& list) {
    if (size_ == 0) count_ = list.numbers();
    if (list.numbers() != count_) {
      fail<FormatError>(list.where(0), "{} numbers; expected {}, as in the other files",
                        list.numbers(), count_);
    }
    for (size_t i = 0; i < list.pairs.size(); ++i) {
      const ListedPair& pair = list.pairs[i];
      const auto views = skipped_.read([&] {
        return PicturePair{.first = read_image_of(pair.first, list.where(i)),
                           .second = read_image_of(pair.second, list.where(i))};
      });
      if (!views) continue;
      add(*views);
      numbers_.insert(numbers_.end(), pair.numbers.begin(), pair.numbers.end());
    }
  }
  void add(const PicturePair& pair) {
    for (const Image* image : {&pair.first, &pair.second}) {
      complete(shape_, *image);
      resized_ += image->height != shape_.height || image->width != shape_.width ? 1 : 0;
      const std::vector<uint8_t> pixels = pixels_of(*image, shape_);
      pixels_.insert(pixels_.end(), pixels.begin(), pixels.end());
    }
    ++size_;
  }

  std::string name_;
  std::vector<uint8_t> pixels_;  // [size, 2, height, width, channels]
  std::vector<float> numbers_;   // [size, count]
  int64_t size_ = 0, count_ = 0, resized_ = 0;
  SkippedFiles skipped_;
};

class PairsOfCrops : public ViewPairs {
 public:
  PairsOfCrops(std::string name, const ViewPairsOptions& options)
      : ViewPairs(options.shape, options.patch),
        crop_(options.source.get<CroppedPairs>().crop),
        name_(std::move(name)),
        skipped_(options.bad_files) {}

  void add(const ReadPicture& read) {
    const std::optional<Image> picture = skipped_.read(read);
    if (!picture) return;
    complete(shape_, *picture);
    scenes_.push_back(scene_of(*picture, shape_, crop_));
  }
  // Throws FormatError where no picture is left.
  void check() const {
    if (scenes_.empty()) fail<FormatError>(name_, "no picture is left{}", skipped_.report());
  }

  int64_t size() const override { return std::ssize(scenes_) * crop_.per_picture; }
  int64_t numbers() const override { return 4; }
  ViewPair pair(int64_t example, RandomStream& random) const override {
    const Image& scene = scenes_[static_cast<size_t>(example / crop_.per_picture)];
    CropPair crops = draw_crops(scene, shape_, crop_, random);
    const auto numbers = crops.motion.numbers();
    return {.first = std::move(crops.first),
            .second = std::move(crops.second),
            .numbers = {numbers.begin(), numbers.end()}};
  }
  // Of the scenes that crops are drawn from.
  ChannelStatistics statistics() const override {
    std::vector<uint8_t> pixels;
    for (const Image& scene : scenes_) {
      pixels.insert(pixels.end(), scene.pixels.begin(), scene.pixels.end());
    }
    return pixel_statistics(pixels, shape_.channels);
  }
  // Of numbers that are drawn evenly from -most to most.
  ChannelStatistics number_statistics() const override {
    const double radians = crop_.rotation * std::numbers::pi / 180;
    ChannelStatistics out{.mean = std::vector<double>(4), .deviation = {}};
    for (const double most : {crop_.shift, crop_.shift, std::log(crop_.scale), radians}) {
      out.deviation.push_back(most > 0 ? most / std::sqrt(3.0) : 1);
    }
    return out;
  }
  uint64_t fingerprint() const override {
    Hash hash;
    for (const Image& scene : scenes_) {
      hash.add(static_cast<uint64_t>(scene.width));
      add_bytes(hash, scene.pixels);
    }
    return hash.value();
  }
  std::string report() const override {
    return fmt::format("{}: {}, {}", name_, counted(std::ssize(scenes_), "picture"),
                       size_text(size(), shape_)) +
           skipped_.report();
  }

 private:
  CropOptions crop_;
  std::string name_;
  std::vector<Image> scenes_;
  SkippedFiles skipped_;
};

}  // namespace

Cost ViewPairs::cost(int64_t) const {
  const int64_t patches = shape_.patches(patch_);
  return {.rows = patches, .other_rows = patches};
}

Batch ViewPairs::batch(std::span<const int64_t> examples) const {
  Labels numbers;
  for (const int64_t example : examples) {
    const auto number = static_cast<int32_t>(example);
    numbers.add({&number, 1});
  }
  Batch out;
  out.examples.assign(examples.begin(), examples.end());
  out.fields.emplace_back(std::move(numbers));
  return out;
}

std::unique_ptr<ViewPairs> read_view_pairs(const std::vector<std::string>& files,
                                           const ViewPairsOptions& options) {
  if (!options.source.is<CroppedPairs>()) return std::make_unique<StoredPairs>(files, options);
  auto out = std::make_unique<PairsOfCrops>(joined_names(files), options);
  for (const std::string& file : files) {
    for_each_picture(file, [&](const ReadPicture& read) { out->add(read); });
  }
  out->check();
  return out;
}

std::unique_ptr<ViewPairs> pairs_of_pictures(std::span<const PicturePair> pairs,
                                             const ViewPairsOptions& options) {
  return std::make_unique<StoredPairs>(pairs, options);
}

std::unique_ptr<ViewPairs> ViewPairLines::read(std::span<const std::string> lines) {
  const int64_t first = lines_ + 1;
  lines_ += std::ssize(lines);
  if (!options_.source.is<CroppedPairs>()) {
    return std::make_unique<StoredPairs>(parser_.parse(lines), options_);
  }
  auto out = std::make_unique<PairsOfCrops>(path_, options_);
  for_each_listed_picture(path_, lines, first, [&](const ReadPicture& read) { out->add(read); });
  return out;
}

}  // namespace weft::data
