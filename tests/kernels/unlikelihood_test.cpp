#include "weft/kernels/unlikelihood.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/compare.h"
#include "tests/kernels/targets.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::compare;
using test::F32;

// p = (0.1, 0.2, 0.3, 0.4), with the candidates 1 and 3; and a row without candidates.
TEST(Unlikelihood, IsMinusTheLogOfOneMinusEachProbability) {
  Buffer<double> x(2, 4, 1), d_x(2, 4, 2);
  for (int64_t v = 0; v < 4; ++v) {
    x.at(0, v) = x.at(1, v) = std::log(0.1 * static_cast<double>(v + 1));
    d_x.at(0, v) = d_x.at(1, v) = 10;
  }
  const std::vector<int32_t> candidates{3, 1}, offsets{0, 2, 2};
  const std::vector<float> weights{0.5f, 1};
  std::vector<double> loss{-1, -1};
  ref::run(Unlikelihood{.x = x,
                        .candidates = candidates.data(),
                        .offsets = offsets,
                        .weight = 2,
                        .row_weights = weights.data(),
                        .loss = loss.data(),
                        .d_x = d_x});
  EXPECT_NEAR(loss[0], -std::log(0.6) - std::log(0.8), 1e-12);
  EXPECT_EQ(loss[1], 0);
  const double odds = 0.4 / 0.6 + 0.2 / 0.8;
  const double expected[] = {-0.1 * odds, 0.2 - 0.2 * 0.4 / 0.6, -0.3 * odds,
                             0.4 - 0.4 * 0.2 / 0.8};
  for (int64_t v = 0; v < 4; ++v) {
    EXPECT_NEAR(d_x.at(0, v), 10 + expected[v], 1e-12);
    EXPECT_EQ(d_x.at(1, v), 10);
  }
  EXPECT_TRUE(d_x.slack_is_untouched());
}

// Rows with 0, 1, 2 ... candidates.
struct Lists {
  std::vector<int32_t> candidates, offsets{0};

  Lists(int64_t rows, int64_t cols) {
    for (int64_t n = 0; n < rows; ++n) {
      for (int64_t k = 0; k < std::min<int64_t>(n % 7, cols - 1); ++k) {
        candidates.push_back(static_cast<int32_t>((5 * n + k) % cols));
      }
      offsets.push_back(static_cast<int32_t>(candidates.size()));
    }
  }
};

class FastUnlikelihood : public test::RowsFixture {};

TEST_P(FastUnlikelihood, Agrees) {
  const int64_t rows = GetParam().rows, cols = GetParam().cols;
  F32 x = random(1);
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t v = 0; v < cols; ++v) x.at(n, v) *= 2;
  }
  const Lists lists(rows, cols);
  std::vector<float> weights;
  for (int64_t n = 0; n < rows; ++n) weights.push_back(0.25f * static_cast<float>(n % 5));
  std::vector<double> expected(static_cast<size_t>(rows)), fast(expected);
  compare({random(2)}, 3e-5, [&](const Backend& b, auto& out) {
    const bool is_reference = &b == &ref_backend(),
               is_rounded = !is_reference && &b != &cpu_backend();
    test::Rounded rounded(x);
    test::RoundedOutput rounded_d(is_rounded ? out[0] : View{});
    (is_rounded ? cpu_backend()
                : b)(Unlikelihood{.x = is_rounded ? rounded.view() : View(x),
                                  .candidates = lists.candidates.data(),
                                  .offsets = lists.offsets,
                                  .weight = 0.7,
                                  .row_weights = weights.data(),
                                  .loss = (is_reference ? expected : fast).data(),
                                  .d_x = is_rounded ? rounded_d.view() : View(out[0])});
    if (is_reference) return;
    for (size_t n = 0; n < fast.size(); ++n) {
      EXPECT_NEAR(fast[n], expected[n], is_rounded ? 0.06 : 3e-5) << n;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, FastUnlikelihood, testing::ValuesIn(test::row_cases()));

// The exact gradient of a row is at most as large as the number of its candidates.
TEST(Unlikelihood, StaysFiniteForACertainCandidate) {
  for (const float logit : {5.f, 20.f, 80.f, 300.f}) {
    Buffer<float> x(1, 70, 1), d_x(1, 70, 1);
    for (int64_t v = 0; v < 70; ++v) x.at(0, v) = d_x.at(0, v) = 0;
    x.at(0, 17) = logit;
    const std::vector<int32_t> candidates{3, 17}, offsets{0, 2};
    double loss = 0;
    cpu::run(Unlikelihood{
        .x = x, .candidates = candidates.data(), .offsets = offsets, .loss = &loss, .d_x = d_x});
    const double rest = 69 * std::exp(-double{logit});
    const double smallest = std::max(rest / (1 + rest), Unlikelihood::kSmallestRest);
    const double p = 1 / (1 + rest), p_other = std::exp(-double{logit}) / (1 + rest);
    EXPECT_NEAR(loss, -std::log(smallest) - std::log1p(-p_other), 1e-4);
    for (int64_t v = 0; v < 70; ++v) EXPECT_LE(std::abs(d_x.at(0, v)), 2);
    if (smallest == Unlikelihood::kSmallestRest) continue;
    const double odds_other = p_other / (1 - p_other);
    EXPECT_NEAR(d_x.at(0, 17), p * (1 - odds_other), 1e-5);
    EXPECT_NEAR(d_x.at(0, 3), p_other - p / 69, 1e-5);
    EXPECT_NEAR(d_x.at(0, 5), -p / 69 - p_other * odds_other, 1e-5);
  }
}

}  // namespace
}  // namespace weft::kernels
