// The element types of GGUF files. Quantised elements come in blocks that share scales; the layouts
// are those of llama.cpp.
#ifndef WEFT_FORMATS_GGUF_BLOCKS_H_
#define WEFT_FORMATS_GGUF_BLOCKS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::formats {

enum class GgufType : uint32_t {  // the numbers in files
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kBF16 = 30,
};

struct GgufLayout {
  std::string_view name;  // "Q4_K"
  int64_t elements;       // of a block
  int64_t bytes;          // of a block
};

// None for a number that is not a supported type.
std::optional<GgufType> gguf_type(uint32_t number);
GgufLayout layout_of(GgufType type);
// "F32, F16, ...", for errors.
std::string supported_gguf_types();

// The numbers that whole blocks stand for. `blocks` has the bytes of out.size() elements.
void dequantise(GgufType type, std::string_view blocks, std::span<float> out);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_GGUF_BLOCKS_H_
