#include "weft/ops/rows/attention_pool.h"

#include "weft/ops/embedding.h"
#include "weft/ops/fused/attention.h"

namespace weft::ops {

Tensor attention_pool(const Tensor& x, const Tensor& query, const LayoutPtr& rows, int64_t heads,
                      Tape* tape) {
  check_shape("attention_pool", "x", x, rows->count(), -1);
  check_shape("attention_pool", "query", query, 1, x.cols());
  const int64_t count = rows->sequences();
  const Ids first = make_ids(std::vector<int32_t>(static_cast<size_t>(count), 0));
  const Tensor queries = embedding(query, first, 1, tape);  // [B, D]
  AttentionParams params;
  params.queries = make_layout(Segments::uniform(count, 1));
  params.keys = rows;
  params.heads = heads;
  return attention(queries, x, x, params, tape);
}

}  // namespace weft::ops
