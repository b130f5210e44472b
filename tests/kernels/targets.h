// The instruction sets that SIMD kernels are built for and that this machine supports.
#ifndef TESTS_KERNELS_TARGETS_H_
#define TESTS_KERNELS_TARGETS_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace weft::kernels::test {

// Calls body for each instruction set, from the best to scalar code, with dispatch limited to it.
template <class Body>
void for_each_target(Body&& body) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_TARGETS_H_
