// Element types of tensors.
#ifndef WEFT_CORE_DTYPE_H_
#define WEFT_CORE_DTYPE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "weft/core/bf16.h"

namespace weft {

// kF64 is for gradient checks only: no model is stored or run in it.
enum class DType : uint8_t { kF64, kF32, kBF16, kI32, kI8, kU8 };

// Bytes of one element.
constexpr size_t size_of(DType type) {
  switch (type) {
    case DType::kF64: return 8;
    case DType::kF32:
    case DType::kI32: return 4;
    case DType::kBF16: return 2;
    case DType::kI8:
    case DType::kU8: return 1;
  }
  return 0;
}

// The accumulator type for sums over many rows: statistics, losses, parameter gradients.
constexpr DType sum_type(DType type) { return type == DType::kBF16 ? DType::kF32 : type; }

// The name used in safetensors headers.
constexpr std::string_view name_of(DType type) {
  switch (type) {
    case DType::kF64: return "F64";
    case DType::kF32: return "F32";
    case DType::kBF16: return "BF16";
    case DType::kI32: return "I32";
    case DType::kI8: return "I8";
    case DType::kU8: return "U8";
  }
  return "?";
}

// The DType of a C++ type.
template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, BF16> ||
                    std::is_same_v<T, int32_t> || std::is_same_v<T, int8_t> ||
                    std::is_same_v<T, uint8_t>,
                "not the element type of a tensor");
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, BF16>) return DType::kBF16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
}

}  // namespace weft

#endif  // WEFT_CORE_DTYPE_H_
