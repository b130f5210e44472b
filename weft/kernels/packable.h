// Which types weights are packed in.
#ifndef WEFT_KERNELS_PACKABLE_H_
#define WEFT_KERNELS_PACKABLE_H_

#include "weft/kernels/packed.h"

namespace weft::kernels {

inline bool is_packable(PackedType type) {
  const DType* dtype = std::get_if<DType>(&type);
  return dtype == nullptr || *dtype == DType::kF32 || *dtype == DType::kBF16 ||
         *dtype == DType::kI8;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_PACKABLE_H_
