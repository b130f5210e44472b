// Compares every fast kernel with the reference over one case table, with 1 and 2 threads; the bits
// must not depend on the number of threads. BF16 kernels are compared with the same reference.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/compare.h"
#include "tests/kernels/sum_of_squares.h"
#include "tests/support/kept_threads.h"
#include "weft/kernels/activation.h"
#include "weft/kernels/adam.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/dropout.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/embedding.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/loss.h"
#include "weft/kernels/norm.h"
#include "weft/kernels/reduce.h"
#include "weft/kernels/softmax.h"

namespace weft::kernels {
namespace {

using test::compare;
using test::compare_threads;
using test::F32;
using test::Kernel;
using test::on_reference;
using test::Outputs;
using test::RowCase;

constexpr Activation kActivations[] = {
    Activation::kNone, Activation::kRelu, Activation::kGelu,    Activation::kGeluTanh,
    Activation::kSilu, Activation::kTanh, Activation::kSigmoid, Activation::kEluPlusOne};

class FastRows : public test::RowsFixture {};

TEST_P(FastRows, ElementwiseKernelsAgree) {
  F32 x = random(1), z = random(2);
  compare({empty()}, 0, [&](const Backend& b, auto& out) { b(Fill{.y = out[0], .value = 0.1}); });
  compare({empty()}, 0, [&](const Backend& b, auto& out) { b(Copy{.x = x, .y = out[0]}); });
  compare({empty()}, 0, [&](const Backend& b, auto& out) { b(Add{.x = x, .z = z, .y = out[0]}); });
  compare({empty()}, 0,
          [&](const Backend& b, auto& out) { b(Multiply{.x = x, .z = z, .y = out[0]}); });
  compare({empty()}, 0,
          [&](const Backend& b, auto& out) { b(Scale{.alpha = 0.3, .x = x, .y = out[0]}); });
  // A fused multiply-add has one rounding less.
  compare({z}, 1e-7,
          [&](const Backend& b, auto& out) { b(Accumulate{.alpha = 0.3, .x = x, .y = out[0]}); });
  compare({x}, 0, [&](const Backend& b, auto& out) { b(Add{.x = out[0], .z = z, .y = out[0]}); });
}

TEST_P(FastRows, CopiesThroughBfloat16Agree) {
  F32 x = random(1);
  const RowCase& c = GetParam();
  std::vector<uint16_t> fast(c.rows * c.cols + 1), expected(c.rows * c.cols + 1);
  const View to_fast{fast.data(), DType::kBF16, c.rows, c.cols, c.cols, c.rows};
  const View to_expected{expected.data(), DType::kBF16, c.rows, c.cols, c.cols, c.rows};
  cpu_backend()(Copy{.x = x, .y = to_fast});
  ref_backend()(Copy{.x = x, .y = to_expected});
  EXPECT_EQ(fast, expected);
  compare({empty()}, 0, [&](const Backend& b, auto& out) { b(Copy{.x = to_fast, .y = out[0]}); });
}

TEST_P(FastRows, ActivationsAgree) {
  F32 x = random(1), d_y = random(2), wide = random(2 * GetParam().cols, 3);
  cpu_backend()(Scale{.alpha = 4, .x = x, .y = x});  // to cover the curved parts
  cpu_backend()(Scale{.alpha = 4, .x = wide, .y = wide});
  constexpr double kTolerance = 1e-6;  // polynomial exp and erf
  for (const Activation kind : kActivations) {
    compare({empty()}, kTolerance,
            [&](const Backend& b, auto& out) { b(Activate{.kind = kind, .x = x, .y = out[0]}); });
    compare({empty()}, kTolerance, [&](const Backend& b, auto& out) {
      b(ActivateBackward{.kind = kind, .x = x, .d_y = d_y, .d_x = out[0]});
    });
    compare({empty()}, kTolerance,
            [&](const Backend& b, auto& out) { b(Gate{.kind = kind, .x = wide, .y = out[0]}); });
    compare({empty(2 * GetParam().cols)}, 4 * kTolerance, [&](const Backend& b, auto& out) {
      b(GateBackward{.kind = kind, .x = wide, .d_y = d_y, .d_x = out[0]});
    });
    compare({wide}, 4 * kTolerance, [&](const Backend& b, auto& out) {
      b(GateBackward{.kind = kind, .x = out[0], .d_y = d_y, .d_x = out[0]});
    });
  }
}

TEST_P(FastRows, DropoutAgrees) {
  F32 x = random(1);
  const auto places = this->places();
  for (const double share : {0.0, 0.1, 0.5}) {
    const DropoutMask d = places.dropout(share);
    compare({empty()}, 1e-7,
            [&](const Backend& b, auto& out) { b(Dropout{.mask = d, .x = x, .y = out[0]}); });
  }
}

TEST_P(FastRows, ReductionsAgree) {
  F32 x = random(1), start = random_row(2);
  compare({start}, 2e-5, [&](const Backend& b, auto& out) { b(ColumnSum{.x = x, .y = out[0]}); });
  const double expected = test::sum_of_squares(ref_backend(), x),
               got = test::sum_of_squares(cpu_backend(), x);
  EXPECT_NEAR(got, expected, 1e-9 * expected);
  std::vector<int32_t> index(GetParam().rows), fast_index(GetParam().rows);
  if (GetParam().rows > 0) x.at(0, GetParam().cols / 2) = x.at(0, GetParam().cols - 1) = 7;
  ref_backend()(RowArgmax{.x = x, .index = index.data()});
  cpu_backend()(RowArgmax{.x = x, .index = fast_index.data()});
  EXPECT_EQ(index, fast_index);
}

TEST_P(FastRows, SumOfSquaresHasTheSameBitsForEveryThreadCount) {
  F32 x = random(1);
  const weft::test::KeptThreads kept;
  set_threads(1);
  const double one = test::sum_of_squares(cpu_backend(), x);
  set_threads(2);
  EXPECT_EQ(one, test::sum_of_squares(cpu_backend(), x));
}

TEST_P(FastRows, SoftmaxesAgree) {
  F32 x = random(1), d_y = random(2), y = empty();
  cpu_backend()(Scale{.alpha = 10, .x = x, .y = x});
  constexpr double kTolerance = 3e-6;  // polynomial exp, sums in another order
  compare({empty()}, kTolerance,
          [&](const Backend& b, auto& out) { b(Softmax{.x = x, .y = out[0]}); });
  compare({x}, kTolerance,
          [&](const Backend& b, auto& out) { b(Softmax{.x = out[0], .y = out[0]}); });
  compare({empty()}, kTolerance,
          [&](const Backend& b, auto& out) { b(LogSoftmax{.x = x, .y = out[0]}); });
  ref_backend()(Softmax{.x = x, .y = y});
  compare({empty()}, kTolerance, [&](const Backend& b, auto& out) {
    b(SoftmaxBackward{.y = y, .d_y = d_y, .d_x = out[0]});
  });
  ref_backend()(LogSoftmax{.x = x, .y = y});
  compare({empty()}, 3e-5,  // the sum over 5,000 columns is multiplied by a probability near 1
          [&](const Backend& b, auto& out) {
            b(LogSoftmaxBackward{.y = y, .d_y = d_y, .d_x = out[0]});
          });
}

TEST_P(FastRows, LayerNormsAgree) {
  F32 x = random(1), residual = random(2), gamma = random_row(3), beta = random_row(4);
  const auto places = this->places();
  const DropoutMask d = places.dropout(0.1);
  constexpr double kEpsilon = 1e-5, kTolerance = 2e-5;  // sums in another order
  compare({empty(), empty(2)}, kTolerance, [&](const Backend& b, auto& out) {
    b(LayerNorm{
        .x = x, .gamma = gamma, .beta = beta, .epsilon = kEpsilon, .y = out[0], .stats = out[1]});
  });
  compare({empty()}, kTolerance, [&](const Backend& b, auto& out) {
    b(LayerNorm{.x = x, .gamma = gamma, .beta = beta, .epsilon = kEpsilon, .y = out[0]});
  });
  compare({empty(), empty(), empty(2)}, kTolerance, [&](const Backend& b, auto& out) {
    b(ResidualNorm{.dropout = d,
                   .x = x,
                   .residual = residual,
                   .gamma = gamma,
                   .beta = beta,
                   .epsilon = kEpsilon,
                   .h = out[0],
                   .y = out[1],
                   .stats = out[2]});
  });
  compare({x, empty(), empty(2)}, kTolerance, [&](const Backend& b, auto& out) {
    b(ResidualNorm{.x = out[0],
                   .residual = residual,
                   .gamma = gamma,
                   .beta = beta,
                   .epsilon = kEpsilon,
                   .h = out[0],
                   .y = out[1],
                   .stats = out[2]});
  });
}

class FastNormGradients : public FastRows {};

TEST_P(FastNormGradients, Agree) {
  F32 x = random(1), d_y = random(2), gamma = random_row(3), beta = random_row(4);
  F32 y = empty(), stats = empty(2);
  ref_backend()(
      LayerNorm{.x = x, .gamma = gamma, .beta = beta, .epsilon = 1e-5, .y = y, .stats = stats});
  const auto kernel = [&](const Backend& b, auto& out) {
    b(LayerNormBackward{.x = x,
                        .gamma = gamma,
                        .stats = stats,
                        .d_y = d_y,
                        .d_x = out[0],
                        .d_gamma = out[1],
                        .d_beta = out[2]});
  };
  compare({empty(), random_row(5), random_row(6)}, 5e-5, kernel);
  compare({d_y, random_row(5), random_row(6)}, 5e-5, [&](const Backend& b, auto& out) {
    b(LayerNormBackward{.x = x,
                        .gamma = gamma,
                        .stats = stats,
                        .d_y = out[0],
                        .d_x = out[0],
                        .d_gamma = out[1],
                        .d_beta = out[2]});
  });
}

TEST_P(FastRows, EmbeddingsAgree) {
  const RowCase& c = GetParam();
  F32 table = F32::random(11, c.cols, 1), d_y = random(2);
  std::vector<int32_t> ids(c.rows), position(c.rows);
  RandomStream draws(1, 1);
  for (int64_t i = 0; i < c.rows; ++i) {
    ids[i] = static_cast<int32_t>(draws.below(11));
    position[i] = static_cast<int32_t>(i % 50);
  }
  const int32_t* places[] = {nullptr, position.data()};
  for (const int32_t* p : places) {
    compare({empty()}, 1e-5, [&](const Backend& b, auto& out) {
      b(Embedding{.table = table, .ids = ids.data(), .scale = 2.5, .position = p, .y = out[0]});
    });
  }
  compare({table}, 1e-5, [&](const Backend& b, auto& out) {
    b(EmbeddingBackward{.ids = ids.data(), .scale = 2.5, .d_y = d_y, .d_table = out[0]});
  });
}

struct RotaryCase {
  int64_t rows, axes, heads, half, slack;
};

TEST(FastRotary, AgreesInBothDirections) {
  const RotaryCase cases[] = {{0, 1, 1, 4, 0},    {1, 1, 1, 1, 0},   {7, 1, 3, 5, 3},
                              {64, 1, 4, 16, 0},  {9, 2, 1, 1, 0},   {7, 2, 3, 5, 3},
                              {33, 2, 2, 24, 40}, {300, 1, 8, 32, 0}};
  // The BF16 twin does not round rotary views; they are rounded here.
  const auto rotate = [](const Backend& b, Rotary r, View from, View to) {
    r.x = from, r.y = to;
    if (&b == &ref_backend() || &b == &cpu_backend()) return b(r);
    test::RoundedOutput rounded(to);
    test::Rounded rounded_from(from);
    r.y = rounded, r.x = from.data == to.data ? r.y : rounded_from.view();
    b(r);
  };
  for (const RotaryCase& c : cases) {
    const int64_t cols = 2 * c.half * c.axes * c.heads;
    F32 x = F32::random(c.rows, cols, 1, c.slack);
    constexpr int64_t kAngles = 40;
    F32 angles = F32::random(kAngles, 2 * c.half, 3);
    std::vector<int32_t> angle_rows;
    RandomStream draws(2, 2);
    for (int64_t i = 0; i < c.rows * c.axes; ++i) {
      angle_rows.push_back(static_cast<int32_t>(draws.below(kAngles)));
    }
    for (const bool inverse : {false, true}) {
      const Rotary r{.x = {},
                     .y = {},
                     .angles = angles,
                     .angle_rows = angle_rows.data(),
                     .axes = c.axes,
                     .heads = c.heads,
                     .inverse = inverse};
      constexpr double kTolerance = 1e-6;  // fused multiply-adds
      compare({F32(c.rows, cols, c.slack)}, kTolerance,
              [&](const Backend& b, auto& out) { rotate(b, r, x, out[0]); });
      compare({x}, kTolerance, [&](const Backend& b, auto& out) { rotate(b, r, out[0], out[0]); });
    }
  }
}

// Each part of a head is rotated by its coordinate, independent of other parts; and back.
TEST(FastRotary, RotatesEachAxisByItsCoordinate) {
  constexpr int64_t kRows = 6, kHeads = 2, kAxes = 2, kSize = 10, kCols = kHeads * kAxes * kSize;
  F32 x = F32::random(kRows, kCols, 1), expected(kRows, kCols);
  F32 angles(kRows * kAxes, kSize);
  std::vector<int32_t> angle_rows, of_axis[kAxes];
  for (int32_t n = 0; n < kRows; ++n) {
    for (int32_t axis = 0; axis < kAxes; ++axis) {
      angle_rows.push_back(axis * kRows + n);
      of_axis[axis].push_back(angle_rows.back());
      const double angle = 0.7 * (axis == 0 ? n : 7 * n + 1);
      float* to = angles.view().as<float>().row(angle_rows.back());
      std::fill_n(to, kSize / 2, static_cast<float>(std::cos(angle)));
      std::fill_n(to + kSize / 2, kSize / 2, static_cast<float>(std::sin(angle)));
    }
  }
  for (int64_t part = 0; part < kHeads * kAxes; ++part) {
    const auto columns = [&](F32& matrix) {
      return View{matrix.view().at(0, part * kSize), DType::kF32, kRows, kSize, kCols, kRows};
    };
    ref_backend()(Rotary{.x = columns(x),
                         .y = columns(expected),
                         .angles = angles,
                         .angle_rows = of_axis[part % kAxes].data()});
  }
  for (const Backend* b : {&ref_backend(), &cpu_backend()}) {
    F32 y(kRows, kCols);
    const auto rotate = [&](View from, bool inverse) {
      (*b)(Rotary{.x = from,
                  .y = y,
                  .angles = angles,
                  .angle_rows = angle_rows.data(),
                  .axes = kAxes,
                  .heads = kHeads,
                  .inverse = inverse});
    };
    rotate(x, false);
    test::expect_close(y, expected, 1e-6);
    rotate(y, true);
    test::expect_close(y, x, 1e-6);
  }
}

TEST_P(FastRows, CrossEntropiesAgree) {
  const RowCase& c = GetParam();
  F32 x = random(1);
  cpu_backend()(Scale{.alpha = 5, .x = x, .y = x});
  std::vector<int32_t> targets(c.rows);
  for (int64_t i = 0; i < c.rows; ++i) targets[i] = static_cast<int32_t>((i * 7) % c.cols);
  struct Sums {
    std::vector<double> loss, nll;
  };
  const Sums none{std::vector<double>(c.rows), std::vector<double>(c.rows)};
  Sums expected = none, fast = none, rounded = none;
  compare({x}, 3e-6, [&](const Backend& b, auto& out) {
    auto& [l, n] = &b == &ref_backend() ? expected : &b == &cpu_backend() ? fast : rounded;
    b(SoftmaxLoss{.x = out[0],
                  .targets = targets.data(),
                  .smoothing = 0.1,
                  .weight = 1.5,
                  .loss = l.data(),
                  .nll = n.data(),
                  .d_x = out[0]});
    if (&b == &ref_backend()) return;
    std::vector<double> without_gradient(c.rows), unused(c.rows);
    b(SoftmaxLoss{.x = x,
                  .targets = targets.data(),
                  .smoothing = 0.1,
                  .weight = 1.5,
                  .loss = without_gradient.data(),
                  .nll = unused.data()});
    EXPECT_EQ(without_gradient, l);
  });
  for (int64_t i = 0; i < c.rows; ++i) {
    EXPECT_NEAR(fast.loss[i], expected.loss[i], 3e-5);
    EXPECT_NEAR(fast.nll[i], expected.nll[i], 3e-5);
    EXPECT_NEAR(rounded.loss[i], expected.loss[i], 0.05);
    EXPECT_NEAR(rounded.nll[i], expected.nll[i], 0.05);
  }
}

// Rows of one element have variance 0, so that only rounding errors remain.
std::vector<test::RowCase> varied_row_cases() {
  std::vector<test::RowCase> cases = test::row_cases();
  std::erase_if(cases, [](const test::RowCase& c) { return c.cols == 1; });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, FastRows, testing::ValuesIn(test::row_cases()));
INSTANTIATE_TEST_SUITE_P(Cases, FastNormGradients, testing::ValuesIn(varied_row_cases()));

class FastGemm : public testing::TestWithParam<test::GemmCase> {};

TEST_P(FastGemm, AgreesInEveryForm) {
  const auto& c = GetParam();
  F32 a = F32::random(c.m, c.k, 1, c.slack), a_t = F32::random(c.k, c.m, 2, c.slack);
  F32 b = F32::random(c.k, c.n, 3, c.slack), b_t = F32::random(c.n, c.k, 4, c.slack);
  F32 start = F32::random(c.m, c.n, 5, c.slack), bias = F32::random(1, c.n, 6);
  const double tolerance = 1e-5;  // sums of up to 200 products in another order
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const float beta : {0.0f, 1.0f}) {
        for (const bool with_bias : {false, true}) {
          for (const Activation kind : kActivations) {
            const Kernel kernel = [&](const Backend& backend, Outputs& out) {
              backend(Gemm{.a = transpose_a ? a_t : a,
                           .b = transpose_b ? b_t : b,
                           .c = out[0],
                           .transpose_a = transpose_a,
                           .transpose_b = transpose_b,
                           .beta = beta,
                           .bias = with_bias ? bias.view() : View{},
                           .activation = kind});
            };
            const Outputs expected = on_reference({start}, kernel);
            test::for_each_target([&] {
              compare_threads(cpu_backend(), {start}, expected, tolerance, kernel);
              compare_threads(test::bf16_twin(), {start}, expected, 0.1, kernel);
            });
          }
        }
      }
    }
  }
}

TEST_P(FastGemm, ARowDoesNotDependOnTheOthers) {
  const auto& c = GetParam();
  F32 a = F32::random(c.m, c.k, 1), b = F32::random(c.k, c.n, 3), whole(c.m, c.n), part(c.m, c.n);
  test::for_each_target([&] {
    cpu_backend()(Gemm{.a = a, .b = b, .c = whole});
    for (int64_t i = 0; i < c.m; i += 13) {
      const View row{a.row(i), DType::kF32, 1, c.k, c.k, 1};
      const View out{part.row(i), DType::kF32, 1, c.n, c.n, 1};
      cpu_backend()(Gemm{.a = row, .b = b, .c = out});
      for (int64_t j = 0; j < c.n; ++j) ASSERT_EQ(whole.at(i, j), part.at(i, j)) << i << ", " << j;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, FastGemm, testing::ValuesIn(test::gemm_cases()));

// An update of n weights with defaults for the tests.
Adam adam_of(F32& gradient, F32& weights, F32& m, F32& v) {
  return {.weights = weights.row(0),
          .gradient = gradient.row(0),
          .m = m.row(0),
          .v = v.row(0),
          .ema = nullptr,
          .n = gradient.cols(),
          .gradient_scale = 0.7f,
          .learn_rate = 0.01f,
          .beta1 = 0.9f,
          .beta2 = 0.98f,
          .epsilon = 1e-3f,
          .v_correction = 1.5f,
          .weight_decay = 1e-3f,
          .ema_decay = 0.99f};
}

TEST(FastAdam, Agrees) {
  for (const int64_t n : {0, 1, 7, 33, 1000, 70000}) {
    F32 gradient = F32::random(1, n, 1);
    F32 second = F32::random(1, n, 2);
    ref_backend()(Multiply{.x = second, .z = second, .y = second});
    const std::vector<F32> state{F32::random(1, n, 3), F32::random(1, n, 4), second,
                                 F32::random(1, n, 5)};
    for (const bool averaging : {false, true}) {
      compare(state, 1e-6, [&](const Backend& b, auto& s) {
        Adam call = adam_of(gradient, s[0], s[1], s[2]);
        if (averaging) call.ema = s[3].row(0);
        b(call);
      });
    }
  }
}

// Of a row in two, gradients and moments are zero. Averages that are equal to the weights stay so.
TEST(FastAdam, KeepsWeightsThatWereNeverUpdated) {
  constexpr int64_t kRow = 70;
  for (const int64_t n : {1, 33, 1000, 70000}) {
    F32 gradient = F32::random(1, n, 1), first = F32::random(1, n, 4);
    F32 second = F32::random(1, n, 2), weights = F32::random(1, n, 3);
    ref_backend()(Multiply{.x = second, .z = second, .y = second});
    const auto is_kept = [](int64_t i) { return i / kRow % 2 == 1; };
    for (int64_t i = 0; i < n; ++i) {
      if (is_kept(i)) gradient.at(0, i) = first.at(0, i) = second.at(0, i) = 0;
    }
    for (const bool are_equal : {true, false}) {
      const F32 averages = are_equal ? weights : F32::random(1, n, 5);
      compare({weights, first, second, averages}, 1e-6, [&](const Backend& b, auto& s) {
        std::vector<BF16> rounded(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i) rounded[i] = BF16(weights.at(0, i));
        Adam call = adam_of(gradient, s[0], s[1], s[2]);
        call.weight_decay = 0;
        call.ema = s[3].row(0);
        call.rounded = rounded.data();
        b(call);
        for (int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(rounded[i].bits, BF16(s[0].at(0, i)).bits) << i;
          if (!is_kept(i)) continue;
          ASSERT_EQ(s[0].at(0, i), weights.at(0, i)) << i;
          if (!are_equal) continue;
          ASSERT_EQ(s[3].at(0, i), weights.at(0, i)) << i;
        }
      });
    }
  }
}

TEST(FastAdam, RoundsTheNewWeightsToBfloat16) {
  for (const int64_t n : {1, 7, 33, 1000, 70000}) {
    F32 gradient = F32::random(1, n, 1), second = F32::random(1, n, 2);
    ref_backend()(Multiply{.x = second, .z = second, .y = second});
    const auto check = [&](const Backend& backend) {
      F32 weights = F32::random(1, n, 3), first = F32::random(1, n, 4), own_second = second;
      std::vector<BF16> rounded(static_cast<size_t>(n) + 1, BF16(7.0f));
      Adam call = adam_of(gradient, weights, first, own_second);
      call.rounded = rounded.data();
      backend(call);
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(rounded[i].bits, BF16(weights.at(0, i)).bits) << i;
      EXPECT_EQ(rounded[n].bits, BF16(7.0f).bits);
    };
    check(ref_backend());
    test::for_each_target([&] { check(cpu_backend()); });
  }
}

}  // namespace
}  // namespace weft::kernels
