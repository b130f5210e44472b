// How GGUF files begin, and the types of the values of their metadata.
#ifndef WEFT_FORMATS_GGUF_VALUES_H_
#define WEFT_FORMATS_GGUF_VALUES_H_

#include <cstdint>
#include <string_view>

namespace weft::formats {

inline constexpr std::string_view kGgufMagic = "GGUF";

enum class GgufValueType : uint32_t {  // the numbers in files
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64,
};

}  // namespace weft::formats

#endif  // WEFT_FORMATS_GGUF_VALUES_H_
