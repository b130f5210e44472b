// Threads of compute: a pool of Weft's own behind two functions.
#ifndef WEFT_CORE_PARALLEL_H_
#define WEFT_CORE_PARALLEL_H_

#include <cstdint>
#include <type_traits>

namespace weft {

// Sets the number of threads that compute, the calling one included, for the whole process; at
// first it is the number of cores this process may use. Where the system has no more threads to
// give, fewer do the same work. Throws OptionError unless 1 <= threads <= 1024.
void set_threads(int threads);
int threads();

// The cores that this process may run on; a launcher may have bound it to some of the machine's.
int usable_cores();

namespace detail {
void run_ranges(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* state);
}

// Calls body(begin, end) on disjoint ranges that cover [0, n), each a multiple of `grain` items but
// for the last: a grain is the least work that is worth waking a thread for. Which thread takes
// which range is not determined, so a result must not depend on it. Throws what a body throws, one
// of them where several do; ranges that have not started by then are left out. Any thread may call
// this at any time. The pool serves one call at a time: another one meanwhile, or one from within a
// body, runs on its own thread alone.
template <class Body>
void parallel_for(int64_t n, int64_t grain, Body&& body) {
  using Plain = std::remove_reference_t<Body>;
  detail::run_ranges(
      n, grain, [](void* s, int64_t a, int64_t b) { (*static_cast<Plain*>(s))(a, b); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace weft

#endif  // WEFT_CORE_PARALLEL_H_
