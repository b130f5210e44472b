#include "weft/data/images/pixels.h"

#include <cmath>

#include "weft/core/error.h"

namespace weft::data {

ChannelStatistics pixel_statistics(std::span<const uint8_t> pixels, int64_t channels) {
  ChannelStatistics out;
  const int64_t count = std::ssize(pixels) / channels;
  for (int64_t c = 0; c < channels; ++c) {
    uint64_t sum = 0, squares = 0;  // exact, in any order
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t value = pixels[i * channels + c];
      sum += value;
      squares += value * value;
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(count);
    const double variance = static_cast<double>(squares) / static_cast<double>(count) - mean * mean;
    out.mean.push_back(mean / 255);
    out.deviation.push_back(variance > 0 ? std::sqrt(variance) / 255 : 1);
  }
  return out;
}

std::vector<uint8_t> pixels_of(const Image& image, const ImageShape& shape) {
  Image out = image.channels == shape.channels ? image : with_channels(image, shape.channels);
  if (out.height == shape.height && out.width == shape.width) return std::move(out.pixels);
  return resize(out, shape.height, shape.width).pixels;
}

void append_picture(const Image& image, const ImageShape& shape, Features& pictures) {
  const std::vector<uint8_t> pixels = pixels_of(image, shape);
  pictures.values.insert(pictures.values.end(), pixels.begin(), pixels.end());
  pictures.segments.append(1);
}

namespace {

// Appends a patch with its upper left corner at row y, column x.
void append_patch(const float* picture, const PatchParams& params, int64_t y, int64_t x,
                  std::vector<float>& values) {
  const ImageShape& shape = params.shape;
  for (int64_t c = 0; c < shape.channels; ++c) {
    const auto channel = static_cast<size_t>(c);
    const double mean = params.statistics.mean[channel] * 255;
    const double scale = 1 / (params.statistics.deviation[channel] * 255);
    for (int64_t row = y; row < y + params.patch; ++row) {
      for (int64_t column = x; column < x + params.patch; ++column) {
        const float value = picture[(row * shape.width + column) * shape.channels + c];
        values.push_back(static_cast<float>((value - mean) * scale));
      }
    }
  }
}

}  // namespace

Features patches_of(const Features& pictures, const PatchParams& params) {
  const ImageShape& shape = params.shape;
  if (pictures.width != shape.size()) {
    fail<ShapeError>("patches", "expected pictures of {} numbers, got {}", shape.size(),
                     pictures.width);
  }
  Features out;
  out.width = shape.patch_width(params.patch);
  out.segments.first = pictures.segments.first;
  out.values.reserve(pictures.values.size());
  const int64_t rows = shape.height / params.patch, columns = shape.width / params.patch;
  for (int64_t b = 0; b < pictures.examples(); ++b) {
    const float* picture = pictures.values.data() + b * pictures.width;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t column = 0; column < columns; ++column) {
        out.grid.push_back(static_cast<int32_t>(row));
        out.grid.push_back(static_cast<int32_t>(column));
        append_patch(picture, params, row * params.patch, column * params.patch, out.values);
      }
    }
    out.segments.append(rows * columns);
  }
  return out;
}

}  // namespace weft::data
