// The further fast norms and losses against the reference ones, as in fast_against_reference_test.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/compare.h"

namespace weft::kernels {
namespace {

using test::compare;
using test::F32;
using test::RowCase;

class FastNorms : public test::RowsFixture {};

TEST_P(FastNorms, RowsScaledAgree) {
  F32 x = random(1);
  std::vector<float> factors(GetParam().rows);
  for (size_t i = 0; i < factors.size(); ++i) factors[i] = i % 3 == 0 ? 0 : 1.25f;
  if (GetParam().rows > 0) x.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
  compare({empty()}, 0,
          [&](const Backend& b, auto& out) { b.scale_rows(x, factors.data(), out[0]); });
}

TEST_P(FastNorms, RmsNormsAgree) {
  F32 x = random(1), residual = random(2), gamma = random_row(3);
  const auto places = this->places();
  const Dropout d = places.dropout(0.1);
  // Rows of one element may be all but 0, which leaves nothing but rounding without an epsilon.
  constexpr double kEpsilon = 0.01, kTolerance = 2e-5;  // sums in another order
  compare({empty(), empty(1)}, kTolerance, [&](const Backend& b, auto& out) {
    b.rms_norm({x, gamma, {}, kEpsilon, out[0], out[1]});
  });
  compare({empty()}, kTolerance, [&](const Backend& b, auto& out) {
    b.rms_norm({x, gamma, {}, kEpsilon, out[0], {}});
  });
  compare({empty(), empty(), empty(1)}, kTolerance, [&](const Backend& b, auto& out) {
    b.residual_norm({d, x, residual, gamma, {}, kEpsilon, out[0], out[1], out[2], 1.7});
  });
  compare({x, empty(), empty(1)}, kTolerance, [&](const Backend& b, auto& out) {
    b.residual_norm({{}, out[0], residual, gamma, {}, kEpsilon, out[0], out[1], out[2], 0.3});
  });
}

TEST_P(FastNorms, RmsNormGradientsAgree) {
  F32 x = random(1), d_y = random(2), gamma = random_row(3), y = empty(), stats = empty(1);
  ref_backend().rms_norm({x, gamma, {}, 1e-3, y, stats});
  compare({empty(), random_row(5)}, 5e-5, [&](const Backend& b, auto& out) {
    b.d_rms_norm({x, gamma, stats, d_y, out[0], out[1], {}});
  });
  compare({d_y, random_row(5)}, 5e-5, [&](const Backend& b, auto& out) {
    b.d_rms_norm({x, gamma, stats, out[0], out[0], out[1], {}});
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
    cpu_backend().scale(4, x, x);
    constexpr double kTolerance = 2e-5;  // factors of 5 steps of rounded sums
    compare({out}, kTolerance, [&](const Backend& b, auto& to) { b.sinkhorn(s.steps, x, to[0]); });
    compare({out}, kTolerance,
            [&](const Backend& b, auto& to) { b.d_sinkhorn(s.steps, x, d_y, to[0]); });
  }
}

TEST_P(FastNorms, BatchNormsAgree) {
  if (GetParam().rows == 0) return;
  const int64_t cols = GetParam().cols;
  F32 x = random(1), d_y = random(2), gamma = random_row(3), beta = random_row(4);
  F32 stats(2, cols);
  compare({stats}, 2e-6, [&](const Backend& b, auto& out) { b.column_moments(x, out[0]); });
  ref_backend().column_moments(x, stats);
  constexpr double kEpsilon = 0.1;
  compare({empty()}, 2e-6, [&](const Backend& b, auto& out) {
    b.batch_norm({x, gamma, beta, kEpsilon, out[0], stats});
  });
  for (const bool is_fixed : {false, true}) {
    compare({empty(), random_row(5), random_row(6)}, 2e-5, [&](const Backend& b, auto& out) {
      b.d_batch_norm({x, gamma, stats, d_y, kEpsilon, is_fixed, out[0], out[1], out[2]});
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
  cpu_backend().scale(5, x, x);
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
        b.cross_entropy(call);
        if (is_reference) return;
        if (&b != &cpu_backend()) {  // in BF16
          expect_near(fast, expected, kRoundedLoss);
          expect_near(nll, expected_nll, kRoundedLoss);
          return;
        }
        expect_near(fast, expected, 3e-5);
        expect_near(nll, expected_nll, 3e-5);
        call.x = x, call.d_x = {}, call.loss = without.data();
        b.cross_entropy(call);
        EXPECT_EQ(without, fast);
      });
    }
  }
}

TEST_P(FastLosses, DivergencesAgree) {
  F32 x = random(1), z = random(2);
  cpu_backend().scale(5, x, x);
  cpu_backend().scale(5, z, z);
  for (const double temperature : {1.0, 2.5}) {
    std::vector<double> expected(GetParam().rows), fast(expected);
    compare({random(3), random(4)}, 1e-5, [&](const Backend& b, auto& out) {
      auto& loss = &b == &ref_backend() ? expected : fast;
      b.divergence({x, z, temperature, 0.7, weights_.data(), loss.data(), out[0], out[1]});
      if (&b != &ref_backend()) {
        expect_near(fast, expected, &b == &cpu_backend() ? 3e-5 : kRoundedLoss);
      }
    });
    std::vector<double> again(expected);
    cpu_backend().divergence({x, z, temperature, 0.7, nullptr, again.data(), {}, {}});
    expect_near(again, expected, 3e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, FastNorms, testing::ValuesIn(test::row_cases()));
INSTANTIATE_TEST_SUITE_P(Cases, FastLosses, testing::ValuesIn(test::row_cases()));

TEST(FastCtc, Agrees) {
  const std::vector<int32_t> offsets{0, 9, 9, 30, 33}, label_offsets{0, 3, 3, 9, 13};
  const std::vector<int32_t> labels{1, 1, 2, 4, 3, 3, 1, 2, 2, 1, 2, 3, 4};
  F32 x = F32::random(33, 5, 1, 3), log_p(33, 5, 3);
  ref_backend().log_softmax(x, log_p);
  std::vector<double> expected(4), fast(4);
  compare({F32(33, 5, 2)}, 1e-6, [&](const Backend& b, auto& out) {
    if (b.name() == "cpu" && &b != &cpu_backend()) {  // it takes no BF16
      ref_backend().ctc(
          {log_p, offsets, labels.data(), label_offsets, 0, 0.5, fast.data(), out[0]});
      return;
    }
    auto& loss = &b == &ref_backend() ? expected : fast;
    b.ctc({log_p, offsets, labels.data(), label_offsets, 0, 0.5, loss.data(), out[0]});
  });
  EXPECT_EQ(fast, expected);
  EXPECT_TRUE(std::isinf(fast[3]));  // four labels in three rows
}

}  // namespace
}  // namespace weft::kernels
