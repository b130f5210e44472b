#include "weft/ops/fused/embed.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/embedding.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/fused/enabled.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

Tensor embed_composite(const Tensor& table, const Ids& ids, const Embed& params, Tape* tape) {
  Tensor x = embedding(table, ids, params.scale, tape);  // [N, D]
  if (params.sinusoidal) {
    x = add(x, sinusoid(params.rows->position, table.cols(), table.dtype()), tape);
  }
  return dropout(x, params.dropout, tape);
}

Tensor embed(const Tensor& table, const Ids& ids, const Embed& params, Tape* tape) {
  if (static_cast<int64_t>(ids->size()) != params.rows->count()) {
    fail<ShapeError>("embed", "{} ids for {} rows", ids->size(), params.rows->count());
  }
  if (!fused_enabled()) return embed_composite(table, ids, params, tape);
  check_ids(table.rows(), ids);
  Tensor y = Tensor::empty({params.rows->count(), table.cols()}, table.dtype());  // [N, D]
  check_dropout(params.dropout, y);
  const auto& backend = backend_of(table);
  const int32_t* position = params.sinusoidal ? params.rows->position.data() : nullptr;
  backend(kernels::Embedding{
      .table = table, .ids = ids->data(), .scale = params.scale, .position = position, .y = y});
  if (params.dropout) backend(kernels::Dropout{.mask = params.dropout.mask, .x = y, .y = y});
  record(tape, y, {&table}, [ids, scale = params.scale, stream = params.dropout](Backward& b) {
    const Tensor d_y = b.d_output();
    Tensor d_embedding = d_y;
    if (stream) {
      d_embedding = Tensor::empty(d_y.shape(), d_y.dtype());
      backend_of(d_y)(kernels::Dropout{.mask = stream.mask, .x = d_y, .y = d_embedding});
    }
    b.accumulate_rows(0, *ids, [&](const Tensor& d_table) {
      backend_of(d_y)(kernels::EmbeddingBackward{
          .ids = ids->data(), .scale = scale, .d_y = d_embedding, .d_table = d_table});
    });
  });
  return y;
}

}  // namespace weft::ops
