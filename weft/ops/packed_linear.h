// Affine maps and tables of packed weights: inference alone.
#ifndef WEFT_OPS_PACKED_LINEAR_H_
#define WEFT_OPS_PACKED_LINEAR_H_

#include <span>

#include "weft/ops/activation.h"
#include "weft/ops/layout.h"
#include "weft/tensor/packed_weight.h"

namespace weft::ops {

// y = act(x W^T + bias) with the rows of all `weights`, one after the other, as W [D_out, D_in];
// x [N, D_in] and y [N, D_out] are F32; the bias [1, D_out] may be empty. Throws ShapeError where
// they do not fit.
Tensor packed_linear(const Tensor& x, std::span<const kernels::Packed> weights, const Tensor& bias,
                     Activation activation);

// y[n] = scale * table[ids[n]], and the fixed encoding of its position (embedding.h) where `rows`
// are given; y [N, D] is F32. Throws ShapeError for an id outside the table.
Tensor packed_embedding(const PackedWeight& table, const Ids& ids, double scale,
                        const LayoutPtr& rows = nullptr);

}  // namespace weft::ops

#endif  // WEFT_OPS_PACKED_LINEAR_H_
