#include "weft/nn/attention/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/nn/attention/observed.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const AttentionKey kSelf{"encoder", 1, AttentionRole::kSelf};
const AttentionKey kCross{"decoder", 0, AttentionRole::kCross};

ops::AttentionParams params_of(std::vector<int32_t> queries, std::vector<int32_t> keys,
                               int64_t heads) {
  ops::AttentionParams params;
  params.queries = ops::make_layout({queries});
  params.keys = ops::make_layout({keys});
  params.heads = heads;
  params.scale = 0.7;
  return params;
}

TEST(AttentionTrace, HoldsAMatrixOfEveryExampleAndHead) {
  const ops::AttentionParams params = params_of({0, 2, 2, 5}, {0, 1, 4, 8}, 2);
  const Tensor q = test::random_tensor({5, 6}, 1), k = test::random_tensor({8, 6}, 2);
  AttentionTrace trace;
  trace.see(kCross, ObservedPass(q, k, params), nullptr);
  ASSERT_EQ(trace.examples(kCross), 3);
  const Shape shapes[] = {{2, 1}, {0, 3}, {3, 4}};
  for (int64_t b = 0; b < 3; ++b) {
    const auto heads = trace.probabilities(kCross, b);
    ASSERT_EQ(heads.size(), 2u);
    for (const Tensor& p : heads) {
      EXPECT_EQ(p.shape(), shapes[b]);
      for (int64_t n = 0; n < p.rows(); ++n) {
        double sum = 0;
        for (const double x : test::values(p.row_range(n, n + 1))) sum += x;
        EXPECT_NEAR(sum, 1, 1e-14);
      }
    }
  }
}

TEST(AttentionTrace, ShowsNoProbabilityOfKeysThatComeLater) {
  ops::AttentionParams params = params_of({0, 4}, {0, 4}, 1);
  params.causal = true;
  const Tensor x = test::random_tensor({4, 3}, 1);
  AttentionTrace trace;
  trace.see(kSelf, ObservedPass(x, x, params), nullptr);
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      const double p = trace.probabilities(kSelf, 0)[0].data<double>()[i * 4 + j];
      EXPECT_EQ(p == 0, j > i) << i << ", " << j;
    }
  }
}

TEST(AttentionTrace, WantsWhatItIsAskedForAndHoldsTheLast) {
  EXPECT_TRUE(AttentionTrace().wants(kSelf));
  AttentionTrace trace({kCross});
  EXPECT_TRUE(trace.wants(kCross));
  EXPECT_FALSE(trace.wants(kSelf));
  EXPECT_FALSE(trace.wants({"decoder", 1, AttentionRole::kCross}));
  EXPECT_FALSE(trace.wants({"decoder", 0, AttentionRole::kSelf}));
  EXPECT_FALSE(trace.wants({"encoder", 0, AttentionRole::kCross}));
  const Tensor x = test::random_tensor({4, 3}, 1);
  trace.see(kCross, ObservedPass(x, x, params_of({0, 4}, {0, 4}, 1)), nullptr);
  trace.see(kCross, ObservedPass(x, x, params_of({0, 1, 4}, {0, 3, 4}, 1)), nullptr);
  EXPECT_THAT(trace.keys(), ElementsAre(kCross));
  EXPECT_EQ(trace.examples(kCross), 2);
}

TEST(AttentionTrace, SaysWhatItHasNot) {
  AttentionTrace trace;
  const Tensor x = test::random_tensor({4, 3}, 1);
  trace.see(kCross, ObservedPass(x, x, params_of({0, 4}, {0, 4}, 1)), nullptr);
  EXPECT_THAT([&] { trace.probabilities(kSelf, 0); },
              ThrowsMessage<Error>(HasSubstr(
                  "attention trace: self-attention of encoder layer 1 was not recorded")));
  EXPECT_THAT([&] { trace.probabilities(kCross, 1); },
              ThrowsMessage<Error>(HasSubstr("expected an example from 0 to 0, got 1")));
}

TEST(ObserverPair, ShowsEachWhatItWants) {
  const Tensor x = test::random_tensor({4, 3}, 1);
  const ops::AttentionParams params = params_of({0, 4}, {0, 4}, 1);
  AttentionTrace all, cross({kCross});
  ObserverPair both(&all, &cross), one(nullptr, &cross);
  EXPECT_TRUE(both.wants(kSelf));
  EXPECT_FALSE(one.wants(kSelf));
  EXPECT_TRUE(one.wants(kCross));
  for (const AttentionKey& key : {kSelf, kCross})
    both.see(key, ObservedPass(x, x, params), nullptr);
  EXPECT_EQ(all.keys().size(), 2u);
  EXPECT_THAT(cross.keys(), ElementsAre(kCross));
}

TEST(ObservedAttention, HasTheMeanOfItsHeads) {
  const ops::AttentionParams params = params_of({0, 2, 5}, {0, 4, 8}, 2);
  const Tensor q = test::random_tensor({5, 6}, 1), k = test::random_tensor({8, 6}, 2);
  const ObservedPass pass(q, k, params);
  const Tensor mean = pass.mean(1);
  const Tensor one = pass.probabilities({1, 0}, nullptr), two = pass.probabilities({1, 1}, nullptr);
  for (int64_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean.data<double>()[i], (one.data<double>()[i] + two.data<double>()[i]) / 2, 1e-15);
  }
}

TEST(ObservedAttention, WithoutScoresHasNoLogarithms) {
  const ObservedFunction made(1, 1, [](const ops::SequenceHead&) { return Tensor::zeros({1, 1}); });
  EXPECT_THAT(
      [&] {
        made.log_probabilities({0, 0}, nullptr);
      },
      ThrowsMessage<Error>(HasSubstr("its kind has no scores")));
}

}  // namespace
}  // namespace weft::nn
