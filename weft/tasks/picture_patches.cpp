#include "weft/tasks/picture_patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "weft/core/error.h"
#include "weft/core/log.h"

namespace weft::tasks {
namespace {

constexpr int64_t kSmallest = 4, kLargest = 32;
constexpr int64_t kManyPatches = 1000;

// 0 where there is none.
int64_t best_patch_size(const data::ImageShape& image, bool has_stem, int64_t enough) {
  int64_t best = 0;
  for (int64_t patch = kSmallest; patch <= kLargest; ++patch) {
    if (image.height % patch != 0 || image.width % patch != 0) continue;
    if (has_stem && !std::has_single_bit(static_cast<uint64_t>(patch))) continue;
    best = patch;
    if (image.patches(patch) <= enough) break;
  }
  return best;
}

// "224", "192 256": the size near the picture's that patches of `patch` divide.
std::string size_of(const data::ImageShape& image, int64_t patch, double scale) {
  const auto side = [&](int64_t pixels) {
    const double patches = scale * static_cast<double>(pixels) / static_cast<double>(patch);
    return patch * std::max<int64_t>(1, std::llround(patches));
  };
  const int64_t height = side(image.height), width = side(image.width);
  return height == width ? fmt::format("{}", height) : fmt::format("{} {}", height, width);
}

void warn_of_many(int64_t patch_size, const data::ImageShape& image, bool has_stem,
                  int64_t enough) {
  const int64_t patches = image.patches(patch_size);
  if (patches <= kManyPatches) return;
  const int64_t larger = best_patch_size(image, has_stem, enough);
  const bool is_enough = larger != 0 && image.patches(larger) <= kManyPatches;
  constexpr int64_t kUsual = 16;
  const double scale = std::sqrt(static_cast<double>(enough * kUsual * kUsual) /
                                 static_cast<double>(image.height * image.width));
  log::warn(
      "pictures of {} x {} have {} patches of {} x {}, and attention takes time with the square of "
      "their number; hint: {}",
      image.height, image.width, patches, patch_size, patch_size,
      is_enough ? fmt::format("--patch-size {} makes {} of them", larger, image.patches(larger))
                : fmt::format("--image-size {} with --patch-size {}", size_of(image, kUsual, scale),
                              kUsual));
}

}  // namespace

int64_t patch_size_for(const data::ImageShape& image, bool has_stem, int64_t enough) {
  const int64_t best = best_patch_size(image, has_stem, enough);
  if (best != 0) return best;
  constexpr int64_t kMultiple = 8;
  fail<OptionError>("--image-size",
                    "pictures of {} by {} have no patches of {} to {} pixels{}; expected sides "
                    "that one of these divides; hint: --image-size {} resizes them",
                    image.height, image.width, kSmallest, kLargest,
                    has_stem ? ", a power of two" : "", size_of(image, kMultiple, 1));
}

void fit_patches(int64_t& patch_size, const data::ImageShape& image, bool has_stem,
                 int64_t enough) {
  if (patch_size == 0) {
    patch_size = patch_size_for(image, has_stem, enough);
    log::info("patches of {} x {} pixels, {} of a picture (--patch-size)", patch_size, patch_size,
              image.patches(patch_size));
  }
  warn_of_many(patch_size, image, has_stem, enough);
}

void fit_positions(nn::PositionOptions& position, const models::EncoderOptions& encoder,
                   int64_t rows) {
  const bool is_default = position.max_positions == nn::PositionOptions().max_positions;
  if (is_default && encoder.table_capacity() < rows) position.max_positions = rows;
}

}  // namespace weft::tasks
