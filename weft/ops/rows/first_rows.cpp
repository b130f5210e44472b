#include "weft/ops/rows/first_rows.h"

#include "weft/ops/rows/select_rows.h"

namespace weft::ops {

Tensor first_rows(const Tensor& x, const LayoutPtr& rows, Tape* tape) {
  check_shape("first_rows", "x", x, rows->count(), -1);
  std::vector<int32_t> first;
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    const bool is_empty = rows->segments.length(b) == 0;
    first.push_back(is_empty ? -1 : rows->segments.begin(b));
  }
  return select_rows(x, make_selection(std::move(first), rows->count()), tape);
}

}  // namespace weft::ops
