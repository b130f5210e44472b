// Recurrent cells on F32 or BF16; the arithmetic is in F32.
#ifndef WEFT_KERNELS_CPU_CELL_H_
#define WEFT_KERNELS_CPU_CELL_H_

#include "weft/kernels/backend.h"

namespace weft::kernels::cpu {

void cell(const Cell& c);
void d_cell(const CellGradient& g);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_CELL_H_
