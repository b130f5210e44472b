#include "weft/nn/attention/guide.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/nn/attention/small_inputs.h"
#include "tests/support/gradients.h"
#include "weft/nn/attention/observed.h"
#include "weft/ops/fused/enabled.h"

namespace weft::nn {
namespace {

// Two sequences of 2 and 3 target rows, and 4 and 2 source rows; heads 2 of layer 1 and 1 of 2.
struct Case {
  ops::AttentionParams params;
  AttentionGuide guide;

  explicit Case(bool is_penalty, ops::ScoreFunction function = ops::ScoreFunction::kSoftmax) {
    params.queries = ops::make_layout({{0, 2, 5}});
    params.keys = ops::make_layout({{0, 4, 6}});
    params.heads = kHeads;
    params.scale = 0.7;
    params.function = function;
    guide.heads = {{0, 1}, {1, 0}};
    guide.aims = {Tensor::from(std::vector<float>{0.5, 0.5, 0, 0, 0, 0, 0, 1}, {2, 4}),
                  Tensor::from(std::vector<float>{0, 1, 0, 0, 1, 0}, {3, 2})};
    guide.is_penalty = is_penalty;
    guide.weight = 0.3;
  }
  Tensor operator()(const std::vector<Tensor>& x, autograd::Tape* tape) const {
    AttentionGuide pass = guide;
    const auto attend = [&](const AttentionKey& key, const Tensor& q, const Tensor& k) {
      if (pass.wants(key)) pass.see(key, ObservedPass(q, k, params), tape);
    };
    attend({"decoder", 0, AttentionRole::kCross}, x[0], x[1]);
    attend({"decoder", 1, AttentionRole::kSelf}, x[0], x[0]);
    attend({"decoder", 1, AttentionRole::kCross}, x[2], x[1]);
    attend({"encoder", 1, AttentionRole::kCross}, x[2], x[1]);
    attend({"decoder", 2, AttentionRole::kCross}, x[0], x[2]);  // has no chosen head
    return pass.loss;
  }
};

std::vector<Tensor> inputs() {
  return test::random_inputs({{5, kHeads * kSize}, {6, kHeads * kSize}, {5, kHeads * kSize}});
}

// The loss by its definition, one weight after the other.
double slow_loss(const Case& c, const Tensor& q, const Tensor& k, int64_t head) {
  const auto at = [](const Tensor& x, int64_t row, int64_t col) {
    return x.row_range(row, row + 1).data<double>()[col];
  };
  double sum = 0;
  for (int64_t b = 0; b < 2; ++b) {
    const Segments &queries = c.params.queries->segments, &keys = c.params.keys->segments;
    const int64_t first = keys.begin(b), count = keys.length(b);
    for (int64_t i = queries.begin(b); i < queries.end(b); ++i) {
      std::vector<double> e(static_cast<size_t>(count));
      double total = 0;
      for (int64_t j = 0; j < count; ++j) {
        double score = 0;
        for (int64_t f = 0; f < kSize; ++f) {
          score += at(q, i, head * kSize + f) * at(k, first + j, head * kSize + f);
        }
        total += e[static_cast<size_t>(j)] = std::exp(0.7 * score);
      }
      const int64_t t = i - queries.begin(b);
      for (int64_t j = 0; j < count; ++j) {
        const double aim =
            c.guide.aims[static_cast<size_t>(b)].row_range(t, t + 1).data<float>()[j];
        const double w = e[static_cast<size_t>(j)] / total;
        sum += c.guide.weight * aim * (c.guide.is_penalty ? w : -std::log(w));
      }
    }
  }
  return sum;
}

TEST(AttentionGuide, HasTheLossOfItsDefinition) {
  const std::vector<Tensor> x = inputs();
  for (const bool is_penalty : {false, true}) {
    const Case c(is_penalty);
    EXPECT_NEAR(c(x, nullptr).item(), slow_loss(c, x[0], x[1], 1) + slow_loss(c, x[2], x[1], 0),
                1e-12);
  }
}

TEST(AttentionGuide, HasTheGradientThatDifferencesShow) {
  for (const Case& c : {Case(false), Case(true), Case(true, ops::ScoreFunction::kSigmoid)}) {
    const autograd::GradientCheck check = autograd::check_gradients(
        [&](const std::vector<Tensor>& x, autograd::Tape* tape) {
          return c({x[0], x[1], x[0]}, tape);
        },
        {inputs()[0], inputs()[1]});
    EXPECT_TRUE(check.ok) << check.message;
  }
}

TEST(AttentionGuide, SkipsASequenceWithoutAnAim) {
  const std::vector<Tensor> x = inputs();
  Case c(false);
  c.guide.aims = {Tensor::empty({0, 0}), Tensor::empty({0, 0})};
  EXPECT_FALSE(static_cast<bool>(c(x, nullptr)));
}

}  // namespace
}  // namespace weft::nn
