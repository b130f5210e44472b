#include "weft/data/images/augmentation.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::data {
namespace {

// Rows [top, bottom) and columns [left, right).
struct Rectangle {
  int64_t top, bottom, left, right;
};

void fill(std::span<float> picture, const ImageShape& shape, const ChannelStatistics& statistics,
          const Rectangle& area) {
  for (int64_t y = area.top; y < area.bottom; ++y) {
    for (int64_t x = area.left; x < area.right; ++x) {
      for (int64_t c = 0; c < shape.channels; ++c) {
        const double mean = 255 * statistics.mean[static_cast<size_t>(c)];
        picture[(y * shape.width + x) * shape.channels + c] = static_cast<float>(mean);
      }
    }
  }
}

// A whole number from -most to most.
int64_t draw_shift(int64_t most, RandomStream& random) {
  return static_cast<int64_t>(random.below(static_cast<uint32_t>(2 * most + 1))) - most;
}

void shift(std::span<float> picture, const ImageShape& shape, const ChannelStatistics& statistics,
           int64_t down, int64_t right) {
  const std::vector<float> before(picture.begin(), picture.end());
  fill(picture, shape, statistics, {0, shape.height, 0, shape.width});
  const int64_t width = shape.width * shape.channels;
  const int64_t first = std::clamp<int64_t>(right, 0, shape.width) * shape.channels;
  const int64_t last = std::clamp<int64_t>(shape.width + right, 0, shape.width) * shape.channels;
  for (int64_t y = 0; y < shape.height; ++y) {
    const int64_t from = y - down;
    if (from < 0 || from >= shape.height) continue;
    for (int64_t x = first; x < last; ++x) {
      picture[y * width + x] =
          before[static_cast<size_t>(from * width + x - right * shape.channels)];
    }
  }
}

void flip(std::span<float> picture, const ImageShape& shape) {
  for (int64_t y = 0; y < shape.height; ++y) {
    float* row = picture.data() + y * shape.width * shape.channels;
    for (int64_t left = 0, right = shape.width - 1; left < right; ++left, --right) {
      std::swap_ranges(row + left * shape.channels, row + (left + 1) * shape.channels,
                       row + right * shape.channels);
    }
  }
}

// As the paper draws it: area, then the logarithm of its height by its width. Where no rectangle
// fits in ten attempts, nothing is erased.
void erase(std::span<float> picture, const ImageShape& shape, const ChannelStatistics& statistics,
           RandomStream& random) {
  constexpr double kLeast = 0.02, kMost = 0.33, kRatio = 1 / 0.3;
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = (kLeast + (kMost - kLeast) * random.uniform()) *
                        static_cast<double>(shape.height * shape.width);
    const double ratio = std::pow(kRatio, 2 * random.uniform() - 1);
    const int64_t height = std::lround(std::sqrt(area * ratio));
    const int64_t width = std::lround(std::sqrt(area / ratio));
    if (height < 1 || width < 1 || height > shape.height || width > shape.width) continue;
    const int64_t top = random.below(static_cast<uint32_t>(shape.height - height + 1));
    const int64_t left = random.below(static_cast<uint32_t>(shape.width - width + 1));
    return fill(picture, shape, statistics, {top, top + height, left, left + width});
  }
}

}  // namespace

Placement augment(std::span<float> picture, const ImageShape& shape,
                  const ChannelStatistics& statistics, const AugmentationOptions& options,
                  RandomStream& random) {
  Placement out;
  if (options.random_crop > 0) {
    out.down = draw_shift(options.random_crop, random);
    out.right = draw_shift(options.random_crop, random);
    shift(picture, shape, statistics, out.down, out.right);
  }
  if (options.random_flip && random.uniform() < 0.5) {
    out.is_flipped = true;
    flip(picture, shape);
  }
  if (options.random_erasing > 0 && random.uniform() < options.random_erasing) {
    erase(picture, shape, statistics, random);
  }
  return out;
}

double draw_beta(double a, RandomStream& random) {
  while (true) {  // of x = u^(1/a) and y = v^(1/a) with x + y <= 1, by their logarithms
    const double x = std::log(1 - random.uniform()) / a, y = std::log(1 - random.uniform()) / a;
    if (std::max(x, y) + std::log1p(std::exp(-std::abs(x - y))) > 0) continue;
    return 1 / (1 + std::exp(y - x));
  }
}

}  // namespace weft::data
