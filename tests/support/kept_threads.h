// Restores the number of threads after a test.
#ifndef WEFT_TESTS_SUPPORT_KEPT_THREADS_H_
#define WEFT_TESTS_SUPPORT_KEPT_THREADS_H_

#include "weft/core/parallel.h"

namespace weft::test {

class KeptThreads {
 public:
  KeptThreads() = default;
  ~KeptThreads() { set_threads(before_); }
  KeptThreads(const KeptThreads&) = delete;
  KeptThreads& operator=(const KeptThreads&) = delete;

 private:
  int before_ = threads();
};

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_KEPT_THREADS_H_
