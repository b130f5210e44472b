#include "weft/ops/rows/last_rows.h"

#include "weft/ops/rows/select_rows.h"

namespace weft::ops {

Tensor last_rows(const Tensor& x, const LayoutPtr& rows, Tape* tape) {
  check_shape("last_rows", "x", x, rows->count(), -1);
  std::vector<int32_t> last;
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    const bool is_empty = rows->segments.length(b) == 0;
    last.push_back(is_empty ? -1 : rows->segments.end(b) - 1);
  }
  return select_rows(x, make_selection(std::move(last), rows->count()), tape);
}

}  // namespace weft::ops
