#include "weft/ops/packed_linear.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/packed.h"
#include "weft/ops/embedding.h"

namespace weft::ops {

Tensor packed_linear(const Tensor& x, std::span<const kernels::Packed> weights, const Tensor& bias,
                     Activation activation) {
  int64_t features = 0;
  for (const kernels::Packed& w : weights) {
    if (w.cols != x.cols() || x.dtype() != DType::kF32) {
      fail<ShapeError>("packed linear", "x is {} {}; expected {} columns of F32", x.shape().text(),
                       name_of(x.dtype()), w.cols);
    }
    features += w.rows;
  }
  if (bias) check_shape("packed linear", "bias", bias, 1, features);
  Tensor y = Tensor::empty({x.rows(), features});  // [N, D_out]
  kernels::PackedProduct product{.x = x, .weights = weights, .activation = activation, .y = y};
  if (bias) product.bias = bias;
  backend_of(x)(product);
  return y;
}

Tensor packed_embedding(const PackedWeight& table, const Ids& ids, double scale,
                        const LayoutPtr& rows) {
  const kernels::Packed& w = table.view();
  check_ids(w.rows, ids);
  Tensor y = Tensor::empty({static_cast<int64_t>(ids->size()), w.cols});  // [N, D]
  const int32_t* position = rows ? rows->position.data() : nullptr;
  kernels::default_backend()(kernels::PackedEmbedding{
      .table = w, .ids = ids->data(), .scale = scale, .position = position, .y = y});
  return y;
}

}  // namespace weft::ops
