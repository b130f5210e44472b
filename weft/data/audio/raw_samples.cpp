#include "weft/data/audio/raw_samples.h"

#include <bit>
#include <cmath>

#include "weft/core/error.h"

namespace weft::data {
namespace {

// Little-endian bytes in the upper part of 32 bits.
template <size_t kBytes>
int32_t integer_of(const uint8_t* bytes) {
  uint32_t out = 0;
  for (size_t i = 0; i < kBytes; ++i) out |= uint32_t{bytes[i]} << (8 * (4 - kBytes + i));
  return static_cast<int32_t>(out);
}
float share_of_largest(int32_t integer) { return static_cast<float>(integer) / 2147483648.0f; }

}  // namespace

float UnsignedBytes::decode(const uint8_t* bytes) {
  return (static_cast<float>(bytes[0]) - 128) / 128;
}
float Integers16::decode(const uint8_t* bytes) { return share_of_largest(integer_of<2>(bytes)); }
float Integers24::decode(const uint8_t* bytes) { return share_of_largest(integer_of<3>(bytes)); }
float Integers32::decode(const uint8_t* bytes) { return share_of_largest(integer_of<4>(bytes)); }
float Floats32::decode(const uint8_t* bytes) { return std::bit_cast<float>(integer_of<4>(bytes)); }

void RawDecoder::add(std::string_view bytes, const std::string& name, std::vector<float>& out) {
  pending_ += bytes;
  const auto* from = reinterpret_cast<const uint8_t*>(pending_.data());
  const size_t step = sample_bytes_ * static_cast<size_t>(channels_);
  const size_t count = pending_.size() / step;
  for (size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (int64_t c = 0; c < channels_; ++c, from += sample_bytes_) sum += decode_(from);
    if (!std::isfinite(sum)) {
      fail<FormatError>(name, "a sample is not finite; expected numbers from -1 to 1");
    }
    out.push_back(sum / static_cast<float>(channels_));
  }
  pending_.erase(0, count * step);
}

}  // namespace weft::data
