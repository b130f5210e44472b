#include "weft/ops/embedding.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/embedding.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

void check_ids(int64_t rows, const Ids& ids) {
  for (const int32_t id : *ids) {
    if (id < 0 || id >= rows) {
      fail<ShapeError>("embedding", "id {} out of range; expected 0 to {}", id, rows - 1);
    }
  }
}

Tensor embedding(const Tensor& table, const Ids& ids, double scale, Tape* tape) {
  check_ids(table.rows(), ids);
  const auto rows = static_cast<int64_t>(ids->size());
  Tensor y = Tensor::empty({rows, table.cols()}, table.dtype());  // [N, D]
  backend_of(table)(kernels::Embedding{
      .table = table, .ids = ids->data(), .scale = scale, .position = nullptr, .y = y});
  record(tape, y, {&table}, [ids, scale](Backward& b) {
    const Tensor d_y = b.d_output();
    b.accumulate_rows(0, *ids, [&](const Tensor& d_table) {
      backend_of(d_y)(kernels::EmbeddingBackward{
          .ids = ids->data(), .scale = scale, .d_y = d_y, .d_table = d_table});
    });
  });
  return y;
}

Tensor sinusoid(const std::vector<int32_t>& positions, int64_t features, DType dtype) {
  const auto rows = static_cast<int64_t>(positions.size());
  Tensor y = Tensor::empty({rows, features}, dtype);  // [N, D]
  const Tensor zero = Tensor::zeros({1, features}, dtype);
  const std::vector<int32_t> ids(positions.size(), 0);
  backend_of(zero)(kernels::Embedding{
      .table = zero, .ids = ids.data(), .scale = 0, .position = positions.data(), .y = y});
  return y;
}

}  // namespace weft::ops
