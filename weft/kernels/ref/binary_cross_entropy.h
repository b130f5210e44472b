// Reference binary cross-entropy, in double for any type of logits.
#ifndef WEFT_KERNELS_REF_BINARY_CROSS_ENTROPY_H_
#define WEFT_KERNELS_REF_BINARY_CROSS_ENTROPY_H_

#include "weft/kernels/binary_cross_entropy.h"

namespace weft::kernels::ref {

// Computes row n of a call.
void binary_cross_entropy(const BinaryCrossEntropy& call, int64_t n);

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_BINARY_CROSS_ENTROPY_H_
