#include "weft/ops/rows/attention_pool.h"

#include "weft/ops/embedding.h"
#include "weft/ops/fused/attention.h"

namespace weft::ops {

Tensor attention_pool(const Tensor& x, const Tensor& query, const RowsPtr& rows, int64_t heads,
                      Tape* tape) {
  check_shape("attention_pool", "x", x, rows->count(), -1);
  check_shape("attention_pool", "query", query, 1, x.cols());
  const int64_t count = rows->sentences();
  const Ids first = make_ids(std::vector<int32_t>(static_cast<size_t>(count), 0));
  const Tensor queries = embedding(query, first, 1, tape);  // [B, D]
  AttentionRule rule;
  rule.queries = make_rows(Segments::uniform(count, 1));
  rule.keys = rows;
  rule.heads = heads;
  return attention(queries, x, x, rule, tape);
}

}  // namespace weft::ops
