#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/environment.h"
#include "tests/support/rotary.h"
#include "tests/support/tensors.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/attention_probabilities.h"
#include "weft/ops/convert.h"
#include "weft/ops/embedding.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/fused/embed.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/ops/matmul.h"
#include "weft/ops/rotary.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"
#include "weft/ops/softmax.h"
#include "weft/ops/sum.h"

namespace weft::ops {
namespace {

using weft::test::distance;
using weft::test::ScopedEnvironment;

constexpr double kExact = 1e-15;
constexpr double kSixDigits = 1e-6;  // of the expected numbers below

Tensor numbers(const std::vector<double>& x, Shape shape) { return Tensor::from(x, shape); }

const Tensor kTwoRows = numbers({1, 2, 3, 4, 5, 6}, {2, 3});

void expect(const Tensor& got, const std::vector<double>& expected, Shape shape,
            double tolerance = kExact) {
  EXPECT_LE(distance(got, numbers(expected, shape)), tolerance) << to_text(got, 10);
}

TEST(Convert, RoundsValuesAndHandsGradientsBack) {
  const std::vector<float> fine = {1, 1.001f, -3};
  autograd::Tape tape;
  autograd::Gradients gradients;
  const Tensor x = tape.watch(Tensor::from(fine, {1, 3}));
  const Tensor y = convert(x, DType::kBF16, &tape), back = convert(y, DType::kF32, &tape);
  EXPECT_EQ(y.dtype(), DType::kBF16);
  expect(back.to(DType::kF64), {1, 1, -3}, {1, 3});
  tape.backward(back, Tensor::from(std::vector<float>{2, 3, 4}, {1, 3}), gradients);
  EXPECT_EQ(gradients.of(x).dtype(), DType::kF32);
  expect(gradients.of(x).to(DType::kF64), {2, 3, 4}, {1, 3});
  EXPECT_TRUE(convert(x, DType::kF32, nullptr).shares_storage_with(x));
}

TEST(KnownAnswers, OfSumsAndProductsElementByElement) {
  expect(add(kTwoRows, kTwoRows, nullptr), {2, 4, 6, 8, 10, 12}, {2, 3});
  expect(add_bias(kTwoRows, numbers({10, 20, 30}, {1, 3}), nullptr), {11, 22, 33, 14, 25, 36},
         {2, 3});
  expect(scale(kTwoRows, -2, nullptr), {-2, -4, -6, -8, -10, -12}, {2, 3});
  expect(multiply(kTwoRows, kTwoRows, nullptr), {1, 4, 9, 16, 25, 36}, {2, 3});
  expect(sum(kTwoRows, nullptr), {21}, {1, 1});
}

TEST(KnownAnswers, OfASumOfBf16InF32) {
  autograd::Tape tape;
  const Tensor x = tape.watch(Tensor::full({300, 3}, 1, DType::kBF16));
  const Tensor y = sum(x, &tape);
  EXPECT_EQ(y.dtype(), DType::kF32);
  EXPECT_EQ(y.item(), 900);  // no number of BF16
  autograd::Gradients gradients;
  tape.backward(y, gradients);
  EXPECT_EQ(gradients.of(x).dtype(), DType::kBF16);
  EXPECT_EQ(weft::test::values(gradients.of(x)), std::vector<double>(900, 1));
}

TEST(KnownAnswers, OfMatrixProducts) {
  const Tensor a = kTwoRows, b = numbers({1, -1, 0, 2, 3, 1}, {3, 2});
  const Tensor a_stored = numbers({1, 4, 2, 5, 3, 6}, {3, 2});
  const Tensor b_stored = numbers({1, 0, 3, -1, 2, 1}, {2, 3});
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      expect(matmul(transpose_a ? a_stored : a, transpose_b ? b_stored : b,
                    {transpose_a, transpose_b}, nullptr),
             {10, 6, 22, 12}, {2, 2});
    }
  }
}

TEST(KnownAnswers, OfSlicesAndTheirInverse) {
  expect(slice_rows(kTwoRows, 1, 2, nullptr), {4, 5, 6}, {1, 3});
  expect(slice_cols(kTwoRows, 1, 3, nullptr), {2, 3, 5, 6}, {2, 2});
  const Tensor more = numbers({7, 8, 9}, {1, 3});
  expect(concat_rows(kTwoRows, more, nullptr), {1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  expect(concat_cols(more, more, nullptr), {7, 8, 9, 7, 8, 9}, {1, 6});
}

TEST(KnownAnswers, OfActivations) {
  const Tensor x = numbers({-2, -0.5, 0, 1}, {1, 4});
  expect(activate(Activation::kNone, x, nullptr), {-2, -0.5, 0, 1}, {1, 4});
  expect(activate(Activation::kRelu, x, nullptr), {0, 0, 0, 1}, {1, 4});
  expect(activate(Activation::kGelu, x, nullptr), {-0.0455003, -0.1542688, 0, 0.8413447}, {1, 4},
         kSixDigits);
  // torch.nn.functional.gelu(x, approximate="tanh")
  expect(activate(Activation::kGeluTanh, x, nullptr), {-0.0454023, -0.1542860, 0, 0.8411920},
         {1, 4}, kSixDigits);
  expect(activate(Activation::kSilu, x, nullptr), {-0.2384058, -0.1887703, 0, 0.7310586}, {1, 4},
         kSixDigits);
  expect(gate(Activation::kRelu, x, nullptr), {0, 0}, {1, 2});
  expect(gate(Activation::kNone, x, nullptr), {0, -0.5}, {1, 2});
}

TEST(KnownAnswers, OfSoftmaxAndNorm) {
  const Tensor x = numbers({1, 2, 3}, {1, 3});
  expect(softmax(x, nullptr), {0.0900306, 0.2447285, 0.6652410}, {1, 3}, kSixDigits);
  expect(log_softmax(x, nullptr), {-2.4076060, -1.4076060, -0.4076060}, {1, 3}, kSixDigits);
  expect(softmax(numbers({1000, 1000}, {1, 2}), nullptr), {0.5, 0.5}, {1, 2});
  const Tensor gamma = numbers({1, 2, 1}, {1, 3}), beta = numbers({0, 7, 0.5}, {1, 3});
  expect(layer_norm(x, {gamma, beta, 0}, nullptr), {-1.2247449, 7, 1.7247449}, {1, 3}, kSixDigits);
}

TEST(KnownAnswers, OfTheSublayerConnection) {
  const Tensor x = numbers({1, 0, 2}, {1, 3}), residual = numbers({0, 2, 1}, {1, 3});
  const Tensor gamma = numbers({1, 1, 1}, {1, 3}), beta = numbers({0, 0, 1}, {1, 3});
  for (const char* fused : {"0", "1"}) {
    const ScopedEnvironment which("WEFT_FUSED", fused);
    const ResidualNorm out = residual_norm(x, residual, {}, {gamma, beta, 0}, nullptr);
    expect(out.sum, {1, 2, 3}, {1, 3});
    expect(out.norm, {-1.2247449, 0, 2.2247449}, {1, 3}, kSixDigits);
  }
}

TEST(KnownAnswers, OfTableLookUps) {
  const Tensor table = numbers({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
  expect(embedding(table, make_ids({1, 0}), 0.5, nullptr), {2.5, 3, 3.5, 4, 0.5, 1, 1.5, 2},
         {2, 4});
  const std::vector<double> places{0,         1,         0,         1,           // position 0
                                   0.8414710, 0.5403023, 0.0099998, 0.9999500};  // position 1
  expect(sinusoid({0, 1}, 4, DType::kF64), places, {2, 4}, kSixDigits);
  for (const char* fused : {"0", "1"}) {
    const ScopedEnvironment which("WEFT_FUSED", fused);
    const LayoutPtr rows = make_layout({{0, 2}});
    expect(embed(Tensor::zeros({2, 4}, DType::kF64), make_ids({1, 0}),
                 {.rows = rows, .dropout = {}}, nullptr),
           places, {2, 4}, kSixDigits);
  }
}

// Queries and keys (1,0,1,0) and (0,1,0,1): each row scores 2 against itself, 0 against the other.
TEST(KnownAnswers, OfTheTextbookExampleOfAttention) {
  const Tensor q = numbers({1, 0, 1, 0, 0, 1, 0, 1}, {2, 4}), v = numbers({1, 0, 0, 1}, {2, 2});
  for (const char* fused : {"0", "1"}) {
    const ScopedEnvironment which("WEFT_FUSED", fused);
    const auto attend = [&](double scale, bool causal) {
      const LayoutPtr rows = make_layout({{0, 2}});
      return attention(q, q, v, {rows, rows, 1, scale, causal, {}}, nullptr);
    };
    constexpr double kTwoDigits = 0.005;
    expect(attend(1, false), {0.88, 0.12, 0.12, 0.88}, {2, 2}, kTwoDigits);
    expect(attend(1 / std::sqrt(4.0), false), {0.73, 0.27, 0.27, 0.73}, {2, 2}, kTwoDigits);
    expect(attend(1, true), {1, 0, 0.12, 0.88}, {2, 2}, kTwoDigits);
  }
}

TEST(KnownAnswers, OfScoreFunctions) {
  const double none = -std::numeric_limits<double>::infinity();
  const Tensor scores = numbers({0.5, none, 0.3, -1}, {1, 4});
  const auto weights = [&](ScoreFunction f) { return attention_probabilities(scores, f, nullptr); };
  expect(weights(ScoreFunction::kRelu), {0.5 / 3, 0, 0.1, 0}, {1, 4});
  expect(weights(ScoreFunction::kSquaredRelu), {0.25 / 3, 0, 0.03, 0}, {1, 4});
  expect(weights(ScoreFunction::kSparsemax), {0.6, 0, 0.4, 0}, {1, 4});
  const auto sigmoid = [](double x) { return 1 / (1 + 3 * std::exp(-x)); };
  expect(weights(ScoreFunction::kSigmoid), {sigmoid(0.5), 0, sigmoid(0.3), sigmoid(-1)}, {1, 4});
  // sum max(s / 2 - t, 0)^2 = 1: with t = -0.5 - x the third score counts too, and
  // (0.75 + x)^2 + (0.65 + x)^2 + x^2 = 1 has the root x.
  const double x = (-2.8 + std::sqrt(2.8 * 2.8 - 12 * (0.5625 + 0.4225 - 1))) / 6;
  ASSERT_GT(x, 0);
  expect(weights(ScoreFunction::kEntmax15),
         {(0.75 + x) * (0.75 + x), 0, (0.65 + x) * (0.65 + x), x * x}, {1, 4});
}

TEST(KnownAnswers, OfRotaryPositions) {
  const Tensor x = numbers({1, 0, 1, 0, 1, 0}, {3, 2});
  const Tensor y = rotary(x, {weft::test::rotary_angles({0, 1, 2}, 10000, 1)}, nullptr);
  expect(y, {1, 0, std::cos(1), std::sin(1), std::cos(2), std::sin(2)}, {3, 2});
  // Of four features the second pair rotates a hundred times slower.
  const Tensor four =
      rotary(numbers({0, 1, 0, 1}, {1, 4}), {weft::test::rotary_angles({3}, 10000, 2)}, nullptr);
  expect(four, {0, std::cos(0.03) - std::sin(0.03), 0, std::cos(0.03) + std::sin(0.03)}, {1, 4});
}

// What attention sees of rotary positions is the distance of a query from a key.
TEST(KnownAnswers, OfRotaryPositionsAreTheSameAtEveryShift) {
  const Tensor q = weft::test::random_tensor({1, 8}, 1), k = weft::test::random_tensor({1, 8}, 2);
  const auto score = [&](int32_t from, int32_t to) {
    const RotaryParams query{weft::test::rotary_angles({from}, 10000, 2), 2},
        key{weft::test::rotary_angles({to}, 10000, 2), 2};
    return matmul(rotary(q, query, nullptr), rotary(k, key, nullptr), {.b = true}, nullptr);
  };
  EXPECT_LE(distance(score(2, 7), score(105, 110)), 1e-12);
  EXPECT_GE(distance(score(2, 7), score(2, 8)), 1e-3);
}

TEST(KnownAnswers, OfTheLossAndItsSums) {
  const Tensor logits = numbers({0, std::log(3.0), 0, 0}, {2, 2});  // p = 1/4 3/4; 1/2 1/2
  const Tensor x = numbers({1, 0, 0, 1}, {2, 2}),
               weight = numbers({0, 0, std::log(3.0), 0}, {2, 2});
  const Ids targets = make_ids({1, 0});
  const double nll = std::log(4.0 / 3) + std::log(2.0);
  const double uniform = (std::log(4.0) + std::log(4.0 / 3)) / 2 + std::log(2.0);
  for (const char* fused : {"0", "1"}) {
    const ScopedEnvironment which("WEFT_FUSED", fused);
    for (const double smoothing : {0.0, 0.1}) {
      const double smoothed = (1 - smoothing) * nll + smoothing * uniform;
      const CrossEntropy params{smoothing, 0.5};
      for (const Loss& s : {cross_entropy(logits, targets, params, nullptr),
                            projection_loss(x, {weight, Tensor()}, targets, params, nullptr)}) {
        expect(s.value, {smoothed / 2}, {1, 1}, kExact);
        EXPECT_NEAR(s.total, smoothed, kExact);
        EXPECT_NEAR(s.nll, nll, kExact);
      }
    }
  }
}

}  // namespace
}  // namespace weft::ops
