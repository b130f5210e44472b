// Reference Adam.
#ifndef WEFT_KERNELS_REF_ADAM_H_
#define WEFT_KERNELS_REF_ADAM_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::ref {

// w -= learn_rate m / (sqrt(v second_correction) + epsilon) + weight_decay w, and then
// average = average_decay average + (1 - average_decay) w.
void adam(const Adam& a);

}  // namespace weft::kernels::ref

#endif  // WEFT_KERNELS_REF_ADAM_H_
