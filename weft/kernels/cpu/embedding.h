// Table look-up with sinusoidal positions, and its gradient.
#ifndef WEFT_KERNELS_CPU_EMBEDDING_H_
#define WEFT_KERNELS_CPU_EMBEDDING_H_

#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/packed.h"

namespace weft::kernels::cpu {

// y[n] = scale * table[ids[n]] + sinusoid(position[n]) where `position` is not null.
void embedding(View table, const int32_t* ids, float scale, const int32_t* position, View y);
// The same of packed weights; y is F32.
void packed_embedding(const Packed& table, const int32_t* ids, float scale, const int32_t* position,
                      View y);
// d_table[ids[n]] += scale * d_y[n], in the order of n.
void d_embedding(const int32_t* ids, float scale, View d_y, Floats d_table);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_EMBEDDING_H_
