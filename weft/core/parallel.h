// Threads of compute: OpenMP behind two functions. All compute is issued from one engine thread.
#ifndef WEFT_CORE_PARALLEL_H_
#define WEFT_CORE_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace weft {

// Sets the number of compute threads; throws OptionError unless 1 <= threads <= 1024.
void set_threads(int threads);
int threads();

namespace detail {
void run_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* state);
}

// Calls body(begin, end) on disjoint ranges that cover [0, n); each range but the last holds a
// multiple of `grain` items, and a range is never so small that a thread is not worth waking.
// The body must not throw.
template <class Body>
void parallel_for(int64_t n, int64_t grain, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_ranges(
      n, grain, [](void* s, int64_t a, int64_t b) { (*static_cast<Plain*>(s))(a, b); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace weft

#endif  // WEFT_CORE_PARALLEL_H_
