#include "weft/formats/gguf_blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "weft/core/float16.h"

namespace weft::formats {
namespace {

constexpr std::array<std::pair<GgufType, GgufLayout>, 11> kLayouts = {{
    {GgufType::kF32, {"F32", 1, 4}},
    {GgufType::kF16, {"F16", 1, 2}},
    {GgufType::kBF16, {"BF16", 1, 2}},
    {GgufType::kQ8_0, {"Q8_0", 32, 34}},
    {GgufType::kQ4_0, {"Q4_0", 32, 18}},
    {GgufType::kQ4_1, {"Q4_1", 32, 20}},
    {GgufType::kQ5_0, {"Q5_0", 32, 22}},
    {GgufType::kQ5_1, {"Q5_1", 32, 24}},
    {GgufType::kQ4_K, {"Q4_K", 256, 144}},
    {GgufType::kQ5_K, {"Q5_K", 256, 176}},
    {GgufType::kQ6_K, {"Q6_K", 256, 210}},
}};

template <class T>
T load(const uint8_t* from) {
  T out;
  std::memcpy(&out, from, sizeof(T));
  return out;
}

float half(const uint8_t* from) { return float_of_half(load<uint16_t>(from)); }

int low(uint8_t byte) { return byte & 0xF; }
int high(uint8_t byte) { return byte >> 4; }

void f32(const uint8_t* block, float* out) { *out = load<float>(block); }
void f16(const uint8_t* block, float* out) { *out = half(block); }
void bf16(const uint8_t* block, float* out) {
  *out = std::bit_cast<float>(uint32_t{load<uint16_t>(block)} << 16);
}

// scale d, 32 signed bytes
void q8_0(const uint8_t* block, float* out) {
  const float d = half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

// scale d; byte i holds elements i and i + 16
void q4_0(const uint8_t* block, float* out) {
  const float d = half(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low(block[2 + i]) - 8);
    out[i + 16] = d * static_cast<float>(high(block[2 + i]) - 8);
  }
}

// scale d, minimum m
void q4_1(const uint8_t* block, float* out) {
  const float d = half(block), m = half(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low(block[4 + i])) + m;
    out[i + 16] = d * static_cast<float>(high(block[4 + i])) + m;
  }
}

// The fifth bit of element i is bit i of `top`.
int fifth_bit(uint32_t top, int i) { return static_cast<int>(top >> i & 1) << 4; }

void q5_0(const uint8_t* block, float* out) {
  const float d = half(block);
  const auto top = load<uint32_t>(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>((low(block[6 + i]) | fifth_bit(top, i)) - 16);
    out[i + 16] = d * static_cast<float>((high(block[6 + i]) | fifth_bit(top, i + 16)) - 16);
  }
}

void q5_1(const uint8_t* block, float* out) {
  const float d = half(block), m = half(block + 2);
  const auto top = load<uint32_t>(block + 4);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(low(block[8 + i]) | fifth_bit(top, i)) + m;
    out[i + 16] = d * static_cast<float>(high(block[8 + i]) | fifth_bit(top, i + 16)) + m;
  }
}

// A part of 32 elements of a K-block: q stands for scale * q - minimum.
struct Part {
  float scale, minimum;
};

// The 8 parts of Q4_K and Q5_K: scales d and d_min of the block, then for each part 6 bits of scale
// and 6 of minimum, packed into 12 bytes.
Part part_of(const uint8_t* block, int part) {
  const uint8_t* q = block + 4;
  int scale = 0, minimum = 0;
  if (part < 4) {
    scale = q[part] & 63;
    minimum = q[part + 4] & 63;
  } else {
    scale = low(q[part + 4]) | (q[part - 4] >> 6) << 4;
    minimum = high(q[part + 4]) | (q[part] >> 6) << 4;
  }
  return {half(block) * static_cast<float>(scale), half(block + 2) * static_cast<float>(minimum)};
}

// Byte i of each 32 holds elements i and i + 32 of 64.
void q4_k(const uint8_t* block, float* out) {
  const uint8_t* q = block + 16;
  for (int pair = 0; pair < 4; ++pair, q += 32, out += 64) {
    const Part first = part_of(block, 2 * pair), second = part_of(block, 2 * pair + 1);
    for (int i = 0; i < 32; ++i) {
      out[i] = first.scale * static_cast<float>(low(q[i])) - first.minimum;
      out[i + 32] = second.scale * static_cast<float>(high(q[i])) - second.minimum;
    }
  }
}

// The same, with a fifth bit: bit p of byte i of 32 is that of element i of part p.
void q5_k(const uint8_t* block, float* out) {
  const uint8_t *top = block + 16, *q = block + 48;
  for (int pair = 0; pair < 4; ++pair, q += 32, out += 64) {
    const Part first = part_of(block, 2 * pair), second = part_of(block, 2 * pair + 1);
    for (int i = 0; i < 32; ++i) {
      const int a = low(q[i]) | fifth_bit(top[i], 2 * pair);
      const int b = high(q[i]) | fifth_bit(top[i], 2 * pair + 1);
      out[i] = first.scale * static_cast<float>(a) - first.minimum;
      out[i + 32] = second.scale * static_cast<float>(b) - second.minimum;
    }
  }
}

// 128 bytes of lower 4 bits, 64 of upper 2, 16 signed scales of 16 elements each, scale d.
void q6_k(const uint8_t* block, float* out) {
  const uint8_t *lower = block, *upper = block + 128, *scales = block + 192;
  const float d = half(block + 208);
  for (int side = 0; side < 2; ++side, lower += 64, upper += 32, scales += 8, out += 128) {
    for (int part = 0; part < 4; ++part) {
      for (int i = 0; i < 32; ++i) {
        const uint8_t byte = lower[part % 2 * 32 + i];
        const int bits = part < 2 ? low(byte) : high(byte);
        const int q = (bits | (upper[i] >> (2 * part) & 3) << 4) - 32;
        const auto scale = static_cast<int8_t>(scales[2 * part + i / 16]);
        out[part * 32 + i] = d * static_cast<float>(scale) * static_cast<float>(q);
      }
    }
  }
}

using Dequantise = void (*)(const uint8_t* block, float* out);

Dequantise function_of(GgufType type) {
  switch (type) {
    case GgufType::kF32: return f32;
    case GgufType::kF16: return f16;
    case GgufType::kBF16: return bf16;
    case GgufType::kQ8_0: return q8_0;
    case GgufType::kQ4_0: return q4_0;
    case GgufType::kQ4_1: return q4_1;
    case GgufType::kQ5_0: return q5_0;
    case GgufType::kQ5_1: return q5_1;
    case GgufType::kQ4_K: return q4_k;
    case GgufType::kQ5_K: return q5_k;
    case GgufType::kQ6_K: return q6_k;
  }
  return f32;
}

}  // namespace

std::optional<GgufType> gguf_type(uint32_t number) {
  for (const auto& [type, layout] : kLayouts) {
    if (static_cast<uint32_t>(type) == number) return type;
  }
  return {};
}

GgufLayout layout_of(GgufType type) {
  for (const auto& [known, layout] : kLayouts) {
    if (known == type) return layout;
  }
  return {};
}

std::string supported_gguf_types() {
  std::vector<std::string_view> names;
  names.reserve(kLayouts.size());
  for (const auto& [type, layout] : kLayouts) names.push_back(layout.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void dequantise(GgufType type, std::string_view blocks, std::span<float> out) {
  const GgufLayout layout = layout_of(type);
  const Dequantise function = function_of(type);
  const auto* block = reinterpret_cast<const uint8_t*>(blocks.data());
  for (size_t i = 0; i < out.size(); i += static_cast<size_t>(layout.elements)) {
    function(block, out.data() + i);
    block += layout.bytes;
  }
}

}  // namespace weft::formats
