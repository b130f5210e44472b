// A fingerprint of a model's weights.
#ifndef WEFT_TASKS_DISTILLATION_WEIGHTS_HASH_H_
#define WEFT_TASKS_DISTILLATION_WEIGHTS_HASH_H_

#include <bit>

#include "weft/core/hash.h"
#include "weft/tensor/tensor.h"

namespace weft::tasks {

// Of weights [P] in F32.
inline uint64_t weights_hash(const Tensor& weights) {
  Hash hash;
  for (const float x : weights.span<float>()) hash.add(std::bit_cast<uint32_t>(x));
  return hash.value();
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DISTILLATION_WEIGHTS_HASH_H_
