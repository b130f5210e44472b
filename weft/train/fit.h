// The largest batch that fits into memory.
#ifndef WEFT_TRAIN_FIT_H_
#define WEFT_TRAIN_FIT_H_

#include <cstdint>
#include <functional>

namespace weft::train {

// The largest number of rows per batch (data::Cost::rows), up to `max_rows`, whose update takes at
// most `budget` bytes. `probe(rows)` measures the bytes of an update with batches of `rows`; it is
// only called for sizes that are predicted to fit. Throws OptionError if the smallest batch does
// not fit.
int64_t fit_rows(int64_t budget, int64_t max_rows, const std::function<int64_t(int64_t)>& probe);

}  // namespace weft::train

#endif  // WEFT_TRAIN_FIT_H_
