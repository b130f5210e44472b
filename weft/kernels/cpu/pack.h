// Weights into panels, and rows out of them; the layout is that of weft/kernels/packed.h.
#ifndef WEFT_KERNELS_CPU_PACK_H_
#define WEFT_KERNELS_CPU_PACK_H_

#include "weft/kernels/packed.h"

namespace weft::kernels::cpu {

// See Backend::pack().
void pack(const View& w, void* panels, int32_t* sums);

// Row `row` of the weights as floats, w.cols of them.
void unpack_row(const Packed& w, int64_t row, float* to);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_PACK_H_
