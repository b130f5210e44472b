#include "weft/ops/fused/residual_norm.h"

#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/ops/fused/linear.h"
#include "weft/tensor/pool.h"

namespace weft::ops {
namespace {

using weft::test::random_tensor;

TEST(ResidualNorm, IsNotHeldForTheProductBehindIt) {
  constexpr int64_t kRows = 256, kWidth = 512;
  constexpr size_t kBytes = kRows * kWidth * sizeof(double);
  const Tensor x = random_tensor({kRows, kWidth}, 1), weight = random_tensor({kWidth, kWidth}, 2);
  const Tensor gamma = random_tensor({1, kWidth}, 3), none;
  Tape tape;
  const Tensor watched = tape.watch(x);
  const size_t before = pool_statistics().live_bytes;
  Tensor y = residual_norm(watched, watched, {}, {gamma, gamma}, &tape).norm;
  y = linear(y, {weight, none}, Activation::kNone, &tape);
  const size_t held = pool_statistics().live_bytes - before;
  EXPECT_GE(held, 2 * kBytes);  // the sum and y
  EXPECT_LT(held, 2 * kBytes + kBytes / 2);
}

}  // namespace
}  // namespace weft::ops
