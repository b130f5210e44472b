// Compares other fast norms and losses with the reference, as in fast_against_reference_test.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/compare.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/norm.h"
#include "weft/kernels/softmax.h"

namespace weft::kernels {
namespace {

using test::compare;
using test::F32;

class FastNorms : public test::RowsFixture {};

TEST_P(FastNorms, RowsScaledAgree) {
  F32 x = random(1);
  std::vector<float> factors(GetParam().rows);
  for (size_t i = 0; i < factors.size(); ++i) factors[i] = i % 3 == 0 ? 0 : 1.25f;
  if (GetParam().rows > 0) x.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
  compare({empty()}, 0, [&](const Backend& b, auto& out) {
    b(ScaleRows{.x = x, .factors = factors.data(), .y = out[0]});
  });
}

TEST_P(FastNorms, RmsNormsAgree) {
  F32 x = random(1), residual = random(2), gamma = random_row(3);
  const auto places = this->places();
  const DropoutMask d = places.dropout(0.1);
  // Rows of one element may be nearly 0, so that only rounding errors remain without an epsilon.
  constexpr double kEpsilon = 0.01, kTolerance = 2e-5;  // sums in another order
  compare({empty(), empty(1)}, kTolerance, [&](const Backend& b, auto& out) {
    b(RmsNorm{.x = x, .gamma = gamma, .epsilon = kEpsilon, .y = out[0], .stats = out[1]});
  });
  compare({empty()}, kTolerance, [&](const Backend& b, auto& out) {
    b(RmsNorm{.x = x, .gamma = gamma, .epsilon = kEpsilon, .y = out[0]});
  });
  compare({empty(), empty(), empty(1)}, kTolerance, [&](const Backend& b, auto& out) {
    b(ResidualNorm{.dropout = d,
                   .x = x,
                   .residual = residual,
                   .gamma = gamma,
                   .epsilon = kEpsilon,
                   .h = out[0],
                   .y = out[1],
                   .stats = out[2],
                   .residual_scale = 1.7});
  });
  compare({x, empty(), empty(1)}, kTolerance, [&](const Backend& b, auto& out) {
    b(ResidualNorm{.x = out[0],
                   .residual = residual,
                   .gamma = gamma,
                   .epsilon = kEpsilon,
                   .h = out[0],
                   .y = out[1],
                   .stats = out[2],
                   .residual_scale = 0.3});
  });
}

TEST_P(FastNorms, RmsNormGradientsAgree) {
  F32 x = random(1), d_y = random(2), gamma = random_row(3), y = empty(), stats = empty(1);
  ref_backend()(RmsNorm{.x = x, .gamma = gamma, .epsilon = 1e-3, .y = y, .stats = stats});
  compare({empty(), random_row(5)}, 5e-5, [&](const Backend& b, auto& out) {
    b(RmsNormBackward{
        .x = x, .gamma = gamma, .stats = stats, .d_y = d_y, .d_x = out[0], .d_gamma = out[1]});
  });
  compare({d_y, random_row(5)}, 5e-5, [&](const Backend& b, auto& out) {
    b(RmsNormBackward{
        .x = x, .gamma = gamma, .stats = stats, .d_y = out[0], .d_x = out[0], .d_gamma = out[1]});
  });
}

TEST(FastSinkhorn, Agrees) {
  struct Size {
    int64_t matrices, size, steps;
  };
  for (const Size s :
       {Size{0, 3, 1}, Size{1, 1, 1}, Size{3, 5, 2}, Size{2, 16, 3}, Size{5, 67, 5}}) {
    const int64_t rows = s.matrices * s.size;
    F32 x = F32::random(rows, s.size, 1, 3), d_y = F32::random(rows, s.size, 2, 3);
    const F32 out(rows, s.size, 3);
    cpu_backend()(Scale{.alpha = 4, .x = x, .y = x});
    constexpr double kTolerance = 2e-5;  // factors of 5 steps of rounded sums
    compare({out}, kTolerance,
            [&](const Backend& b, auto& to) { b(Sinkhorn{.steps = s.steps, .x = x, .y = to[0]}); });
    compare({out}, kTolerance, [&](const Backend& b, auto& to) {
      b(SinkhornBackward{.steps = s.steps, .x = x, .d_y = d_y, .d_x = to[0]});
    });
  }
}

TEST_P(FastNorms, BatchNormsAgree) {
  if (GetParam().rows == 0) return;
  const int64_t cols = GetParam().cols;
  F32 x = random(1), d_y = random(2), gamma = random_row(3), beta = random_row(4);
  F32 stats(2, cols);
  compare({stats}, 2e-6,
          [&](const Backend& b, auto& out) { b(ColumnMoments{.x = x, .stats = out[0]}); });
  ref_backend()(ColumnMoments{.x = x, .stats = stats});
  constexpr double kEpsilon = 0.1;
  compare({empty()}, 2e-6, [&](const Backend& b, auto& out) {
    b(BatchNorm{
        .x = x, .gamma = gamma, .beta = beta, .epsilon = kEpsilon, .y = out[0], .stats = stats});
  });
  for (const bool is_fixed : {false, true}) {
    compare({empty(), random_row(5), random_row(6)}, 2e-5, [&](const Backend& b, auto& out) {
      b(BatchNormBackward{.x = x,
                          .gamma = gamma,
                          .stats = stats,
                          .d_y = d_y,
                          .epsilon = kEpsilon,
                          .is_fixed = is_fixed,
                          .d_x = out[0],
                          .d_gamma = out[1],
                          .d_beta = out[2]});
    });
  }
}

class FastLosses : public test::RowsFixture {
 protected:
  static constexpr double kRoundedLoss = 0.06;  // of logits up to 5 in BF16
  FastLosses() : targets_(GetParam().rows), weights_(GetParam().rows) {
    for (int64_t i = 0; i < GetParam().rows; ++i) {
      targets_[i] = static_cast<int32_t>((i * 7) % GetParam().cols);
      weights_[i] = 0.25f * static_cast<float>(i % 5);
    }
  }
  void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                   double tolerance) {
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << i;
  }
  std::vector<int32_t> targets_;
  std::vector<float> weights_;
};

TEST_P(FastLosses, OfEveryKindAgree) {
  F32 x = random(1);
  cpu_backend()(Scale{.alpha = 5, .x = x, .y = x});
  for (const LossKind kind : {LossKind::kCrossEntropy, LossKind::kKl, LossKind::kEuclidean,
                              LossKind::kSquaredEuclidean}) {
    for (const double smoothing : {0.0, 0.1}) {
      std::vector<double> expected(GetParam().rows), fast(expected), nll(expected);
      std::vector<double> expected_nll(expected), without(expected);
      compare({x}, 1e-5, [&](const Backend& b, auto& out) {
        const bool is_reference = &b == &ref_backend();
        auto& loss = is_reference ? expected : fast;
        SoftmaxLoss call{out[0], targets_.data(), smoothing,
                         1.5,    loss.data(),     is_reference ? expected_nll.data() : nll.data(),
                         out[0]};
        call.kind = kind;
        call.row_weights = weights_.data();
        b(call);
        if (is_reference) return;
        if (&b != &cpu_backend()) {  // in BF16
          expect_near(fast, expected, kRoundedLoss);
          expect_near(nll, expected_nll, kRoundedLoss);
          return;
        }
        expect_near(fast, expected, 3e-5);
        expect_near(nll, expected_nll, 3e-5);
        call.x = x, call.d_x = {}, call.loss = without.data();
        b(call);
        EXPECT_EQ(without, fast);
      });
    }
  }
}

TEST_P(FastLosses, DivergencesAgree) {
  F32 x = random(1), z = random(2);
  cpu_backend()(Scale{.alpha = 5, .x = x, .y = x});
  cpu_backend()(Scale{.alpha = 5, .x = z, .y = z});
  for (const double temperature : {1.0, 2.5}) {
    std::vector<double> expected(GetParam().rows), fast(expected);
    compare({random(3), random(4)}, 1e-5, [&](const Backend& b, auto& out) {
      auto& loss = &b == &ref_backend() ? expected : fast;
      b(Divergence{.x = x,
                   .z = z,
                   .temperature = temperature,
                   .weight = 0.7,
                   .row_weights = weights_.data(),
                   .loss = loss.data(),
                   .d_x = out[0],
                   .d_z = out[1]});
      if (&b != &ref_backend()) {
        expect_near(fast, expected, &b == &cpu_backend() ? 3e-5 : kRoundedLoss);
      }
    });
    std::vector<double> again(expected);
    cpu_backend()(Divergence{.x = x,
                             .z = z,
                             .temperature = temperature,
                             .weight = 0.7,
                             .row_weights = nullptr,
                             .loss = again.data()});
    expect_near(again, expected, 3e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FastNorms, testing::ValuesIn(test::row_cases()));
INSTANTIATE_TEST_SUITE_P(Cases, FastLosses, testing::ValuesIn(test::row_cases()));

TEST(FastCtc, Agrees) {
  const std::vector<int32_t> offsets{0, 9, 9, 30, 33}, label_offsets{0, 3, 3, 9, 13};
  const std::vector<int32_t> labels{1, 1, 2, 4, 3, 3, 1, 2, 2, 1, 2, 3, 4};
  F32 x = F32::random(33, 5, 1, 3), log_p(33, 5, 3);
  ref_backend()(LogSoftmax{.x = x, .y = log_p});
  std::vector<double> expected(4), fast(4);
  compare({F32(33, 5, 2)}, 1e-6, [&](const Backend& b, auto& out) {
    const bool is_fast = &b == &cpu_backend();  // ctc does not support BF16
    auto& loss = &b == &ref_backend() ? expected : fast;
    (is_fast ? cpu_backend() : ref_backend())(Ctc{.log_p = log_p,
                                                  .offsets = offsets,
                                                  .labels = labels.data(),
                                                  .label_offsets = label_offsets,
                                                  .blank = 0,
                                                  .weight = 0.5,
                                                  .loss = loss.data(),
                                                  .d_log_p = out[0]});
  });
  EXPECT_EQ(fast, expected);
  EXPECT_TRUE(std::isinf(fast[3]));  // four labels in three rows
}

}  // namespace
}  // namespace weft::kernels
