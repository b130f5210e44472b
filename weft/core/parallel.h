// Parallel loops on a process-wide thread pool.
#ifndef WEFT_CORE_PARALLEL_H_
#define WEFT_CORE_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace weft {

// Sets the number of compute threads of the process, including the calling thread. Default:
// usable_cores(). If the system cannot create as many threads, fewer do the same work. Throws
// OptionError unless 1 <= threads <= 1024.
void set_threads(int threads);
int threads();

// The number of cores in the CPU affinity mask of this process.
int usable_cores();

namespace detail {
void run_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* state);
}

// Calls body(begin, end) on disjoint ranges that cover [0, n). All but the last are multiples of
// `grain` items, the least work worth waking a thread for. The assignment of ranges to threads is
// not deterministic, so results must not depend on it. Rethrows one of the exceptions thrown by the
// bodies; ranges that have not started by then are skipped. Thread-safe. The pool serves one call
// at a time: a concurrent or nested call runs on the calling thread alone.
template <class Body>
void parallel_for(int64_t n, int64_t grain, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_ranges(
      n, grain, [](void* s, int64_t a, int64_t b) { (*static_cast<Plain*>(s))(a, b); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace weft

#endif  // WEFT_CORE_PARALLEL_H_
