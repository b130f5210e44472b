#include "weft/kernels/binary_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/buffer.h"
#include "tests/support/kept_threads.h"

namespace weft::kernels {
namespace {

using test::Buffer;

TEST(BinaryCrossEntropy, SumsOverLabels) {
  Buffer<double> x(2, 3, {0.5, -1, 2, 0, 0, 3}), d_x(2, 3, 1);
  const std::vector<int32_t> labels{2, 0, 1}, offsets{0, 2, 3};
  const float positive[] = {2, 1, 0.5f}, rows[] = {1, 3};
  double loss[2];
  ref::run(BinaryCrossEntropy{x, labels, offsets, positive, rows, 0.1, loss, d_x});
  const auto p = [](double s) { return 1 / (1 + std::exp(-s)); };
  EXPECT_NEAR(loss[0], -2 * std::log(p(0.5)) - std::log(1 - p(-1)) - 0.5 * std::log(p(2)), 1e-12);
  EXPECT_NEAR(loss[1], 2 * std::log(2) - std::log(1 - p(3)), 1e-12);
  test::expect_near(
      d_x, {0.2 * (p(0.5) - 1), 0.1 * p(-1), 0.05 * (p(2) - 1), 0.3 * 0.5, 0.3 * -0.5, 0.3 * p(3)},
      1e-12);
  EXPECT_TRUE(d_x.slack_is_untouched());
}

TEST(BinaryCrossEntropy, OfLargeLogitsIsFinite) {
  Buffer<float> x(1, 4, {1e30, -1e30, 1e30, -1e30}), d_x(1, 4);
  const std::vector<int32_t> labels{0, 1}, offsets{0, 2};
  double loss = 0;
  cpu::run(
      BinaryCrossEntropy{.x = x, .labels = labels, .offsets = offsets, .loss = &loss, .d_x = d_x});
  EXPECT_FLOAT_EQ(static_cast<float>(loss), 2e30f);
  test::expect_near(d_x, {0, -1, 1, 0}, 0);
}

TEST(BinaryCrossEntropy, IsBitIdenticalInPlaceAndWithThreads) {
  Buffer<float> x = Buffer<float>::random(300, 37, 1, 3);
  std::vector<int32_t> labels, offsets{0};
  for (int32_t n = 0; n < 300; ++n) {
    for (int32_t c = n % 5; c < 37; c += 1 + n % 11) labels.push_back(c);
    offsets.push_back(static_cast<int32_t>(labels.size()));
  }
  std::vector<double> expected(300);
  Buffer<float> expected_d(300, 37, 3);
  ref::run(BinaryCrossEntropy{
      .x = x, .labels = labels, .offsets = offsets, .loss = expected.data(), .d_x = expected_d});
  const weft::test::KeptThreads kept;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    std::vector<double> loss(300);
    Buffer<float> d_x = x;
    cpu::run(BinaryCrossEntropy{
        .x = d_x, .labels = labels, .offsets = offsets, .loss = loss.data(), .d_x = d_x});
    EXPECT_EQ(loss, expected);
    EXPECT_EQ(d_x, expected_d);
  }
}

}  // namespace
}  // namespace weft::kernels
