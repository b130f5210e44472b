#include "weft/data/images/image.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"

namespace weft::data {
namespace {

constexpr int kWeightBits = 22;
constexpr int32_t kHalf = 1 << (kWeightBits - 1);  // rounds a sum to the nearest level

Image blank(int64_t height, int64_t width, int64_t channels) {
  Image image{.height = height, .width = width, .channels = channels, .pixels = {}};
  image.pixels.resize(height * width * channels);
  return image;
}

uint8_t to_level(int32_t sum) {
  return static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

// Each value of the output of one axis is a weighted sum of neighbouring inputs.
struct AxisFilter {
  struct Window {
    int64_t begin, end;  // inputs
    int64_t weights;     // index of the first weight
  };
  std::vector<Window> windows;   // of each output
  std::vector<int32_t> weights;  // in units of 2^-kWeightBits
};

// Sums of 8-bit levels fit int32_t: weights of a window add up to 1, and rounding at most doubles
// each of them.
AxisFilter triangle_filter(int64_t inputs, int64_t outputs) {
  const double scale = static_cast<double>(inputs) / static_cast<double>(outputs);
  const double support = std::max(scale, 1.0);
  AxisFilter filter;
  std::vector<double> exact;
  for (int64_t i = 0; i < outputs; ++i) {
    const double center = (static_cast<double>(i) + 0.5) * scale;
    const int64_t begin = std::max<int64_t>(0, std::lround(center - support));
    const int64_t end = std::min<int64_t>(inputs, std::lround(center + support));
    exact.clear();
    double sum = 0;
    for (int64_t j = begin; j < end; ++j) {
      const double distance = std::abs((static_cast<double>(j) - center + 0.5) * (1 / support));
      exact.push_back(std::max(0.0, 1 - distance));
      sum += exact.back();
    }
    filter.windows.push_back({begin, end, std::ssize(filter.weights)});
    for (const double weight : exact) {
      filter.weights.push_back(
          static_cast<int32_t>(std::lround(weight * (1 / sum) * (1 << kWeightBits))));
    }
  }
  return filter;
}

template <int64_t C>
void resample_row(const AxisFilter& filter, const uint8_t* in, uint8_t* out) {
  for (const AxisFilter::Window& window : filter.windows) {
    int32_t sums[C];
    std::fill_n(sums, C, kHalf);
    const int32_t* weight = filter.weights.data() + window.weights;
    for (int64_t j = window.begin; j < window.end; ++j, ++weight) {
      for (int64_t c = 0; c < C; ++c) sums[c] += *weight * in[j * C + c];
    }
    for (int64_t c = 0; c < C; ++c) *out++ = to_level(sums[c]);
  }
}

Image resize_width(const Image& image, int64_t width) {
  const AxisFilter filter = triangle_filter(image.width, width);
  Image out = blank(image.height, width, image.channels);
  for (int64_t y = 0; y < image.height; ++y) {
    const uint8_t* from = image.pixels.data() + y * image.width * image.channels;
    uint8_t* to = out.pixels.data() + y * width * image.channels;
    image.channels == 1 ? resample_row<1>(filter, from, to) : resample_row<3>(filter, from, to);
  }
  return out;
}

Image resize_height(const Image& image, int64_t height) {
  const AxisFilter filter = triangle_filter(image.height, height);
  Image out = blank(height, image.width, image.channels);
  const int64_t row_bytes = image.width * image.channels;
  std::vector<int32_t> sums(row_bytes);
  uint8_t* to = out.pixels.data();
  for (const AxisFilter::Window& window : filter.windows) {
    std::ranges::fill(sums, kHalf);
    const int32_t* weight = filter.weights.data() + window.weights;
    for (int64_t y = window.begin; y < window.end; ++y, ++weight) {
      const uint8_t* from = image.pixels.data() + y * row_bytes;
      for (int64_t x = 0; x < row_bytes; ++x) sums[x] += *weight * from[x];
    }
    to = std::ranges::transform(sums, to, to_level).out;
  }
  return out;
}

}  // namespace

void check_image(const Image& image, const char* where) {
  if ((image.channels == 1 || image.channels == 3) && image.height >= 1 && image.width >= 1 &&
      image.height <= kMaxPixels / image.width &&
      std::ssize(image.pixels) == image.height * image.width * image.channels) {
    return;
  }
  fail<ShapeError>(where, "expected a picture of 1 or 3 channels, got [{}, {}, {}] and {} bytes",
                   image.height, image.width, image.channels, image.pixels.size());
}

void complete(ImageShape& shape, const Image& first) {
  if (shape.height == 0) shape.height = first.height;
  if (shape.width == 0) shape.width = first.width;
  if (shape.channels == 0) shape.channels = first.channels;
}

Image with_channels(const Image& image, int64_t channels) {
  check_image(image, "with_channels");
  if (channels != 1 && channels != 3) {
    fail<ShapeError>("with_channels", "expected 1 or 3 channels, got {}", channels);
  }
  if (channels == image.channels) return image;
  Image out = blank(image.height, image.width, channels);
  const int64_t pixels = image.height * image.width;
  const uint8_t* in = image.pixels.data();
  for (int64_t i = 0; i < pixels; ++i) {
    if (channels == 3) {
      std::fill_n(out.pixels.data() + 3 * i, 3, in[i]);
    } else {  // 0.299, 0.587 and 0.114 in units of 2^-16
      const uint8_t* rgb = in + 3 * i;
      out.pixels[i] =
          static_cast<uint8_t>((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) >> 16);
    }
  }
  return out;
}

Image resize(const Image& image, int64_t height, int64_t width) {
  check_image(image, "resize");
  if (height < 1 || width < 1 || height > kMaxPixels / width) {
    fail<ShapeError>("resize", "expected 1 to {} pixels, got {} x {}", kMaxPixels, height, width);
  }
  // In the order that makes no picture larger than both the input and the output.
  if (width > image.width && height < image.height) {
    return resize_width(resize_height(image, height), width);
  }
  return resize_height(resize_width(image, width), height);
}

}  // namespace weft::data
