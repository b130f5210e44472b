#include "weft/formats/gguf_quantise.h"

#include <span>

#include "weft/core/bf16.h"
#include "weft/core/error.h"
#include "weft/core/float16.h"
#include "weft/tensor/quantise.h"

namespace weft::formats {
namespace {

// Numbers of 16 bits.
template <class Convert>
std::string in_halves(std::span<const float> numbers, Convert bits_of) {
  std::string out;
  out.reserve(2 * numbers.size());
  for (const float x : numbers) {
    const uint16_t bits = bits_of(x);
    out.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  return out;
}

}  // namespace

std::string quantise(GgufType type, const Tensor& numbers) {
  const std::span<const float> x = numbers.span<float>();
  switch (type) {
    case GgufType::kF32: return {reinterpret_cast<const char*>(x.data()), x.size_bytes()};
    case GgufType::kF16: return in_halves(x, half_of_float);
    case GgufType::kBF16: return in_halves(x, [](float value) { return BF16(value).bits; });
    case GgufType::kQ8_0: return quantise_blocks(kernels::BlockType::kQ8_0, numbers);
    case GgufType::kQ4_0: return quantise_blocks(kernels::BlockType::kQ4_0, numbers);
    default: fail<OptionError>("gguf", "{} is not written", layout_of(type).name);
  }
}

}  // namespace weft::formats
