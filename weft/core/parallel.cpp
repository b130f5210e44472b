#include "weft/core/parallel.h"

#include <omp.h>

#include <algorithm>

#include "weft/core/error.h"

namespace weft {

void set_threads(int threads) {
  if (threads < 1 || threads > 1024) {
    fail<OptionError>("--threads", "out of range; expected 1 to 1024, got {}", threads);
  }
  omp_set_num_threads(threads);
}

int threads() { return omp_get_max_threads(); }

namespace detail {

void run_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* state) {
  if (n <= 0) return;
  const int64_t grains = (n + grain - 1) / grain;
  const int64_t workers = std::min<int64_t>(threads(), grains);
  if (workers <= 1 || omp_in_parallel()) {
    body(state, 0, n);
    return;
  }
  const int64_t share = (grains + workers - 1) / workers * grain;
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(workers))
  for (int64_t w = 0; w < workers; ++w) {
    const int64_t begin = w * share, end = std::min(n, begin + share);
    if (begin < end) body(state, begin, end);
  }
}

}  // namespace detail
}  // namespace weft
