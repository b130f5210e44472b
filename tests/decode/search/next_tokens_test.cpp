#include "weft/decode/search/next_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/decode/prefix_model.h"
#include "tests/support/kept_threads.h"

namespace weft::decode {
namespace {

// Few different values, so that there are equals.
Tensor coarse_logits(int64_t rows, int64_t vocabulary) {
  RandomStream random(5, static_cast<uint64_t>(vocabulary));
  Tensor out = Tensor::empty({rows, vocabulary});
  for (float& x : out.span<float>()) x = static_cast<float>(random.below(60)) / 10 - 3;
  return out;
}

std::vector<ScoredToken> sorted_row(const Tensor& logits, int64_t row) {
  const float* x = logits.data<float>() + row * logits.stride();
  const std::vector<double> p = log_softmax({x, x + logits.cols()});
  std::vector<ScoredToken> out;
  for (size_t v = 0; v < p.size(); ++v) out.push_back({p[v], static_cast<int32_t>(v)});
  std::stable_sort(out.begin(), out.end(), [&](const ScoredToken& a, const ScoredToken& b) {
    return x[a.token] > x[b.token];
  });
  return out;
}

TEST(NextTokens, FindsWhatSortingFindsInItsOrder) {
  const test::KeptThreads kept;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    NextTokens top;
    for (const int64_t vocabulary : {1, 5, 31, 32, 33, 1000}) {
      for (const int64_t k : {1, 2, 5, 40}) {
        const Tensor logits = coarse_logits(7, vocabulary);
        top.find(logits, k);
        for (int64_t w = 0; w < logits.rows(); ++w) {
          const std::vector<ScoredToken> expected = sorted_row(logits, w);
          ASSERT_EQ(std::ssize(top.row(w)), std::min(k, vocabulary));
          for (size_t i = 0; i < top.row(w).size(); ++i) {
            ASSERT_EQ(top.row(w)[i].token, expected[i].token);
            ASSERT_NEAR(top.row(w)[i].log_probability, expected[i].log_probability, 1e-5);
          }
        }
      }
    }
  }
}

TEST(NextTokens, LeavesOutForbiddenTokensButNotTheirMass) {
  const std::vector<float> logits = {1, 3, 2, 3};
  NextTokens top;
  top.find(Tensor::from(logits, {1, 4}), 4, [](int64_t, TokenScores& scores) {
    scores.forbid(1);
    scores.forbid(0);
  });
  ASSERT_EQ(top.row(0).size(), 2u);
  EXPECT_EQ(top.row(0)[0].token, 3);
  EXPECT_EQ(top.row(0)[1].token, 2);
  EXPECT_NEAR(top.row(0)[0].log_probability, log_softmax(logits)[3], 1e-6);
}

// Row 0 is of three tokens, row 1 of all five.
TEST(NextTokens, ReturnsTheTokensOfTheColumns) {
  const Tensor logits =
      Tensor::from(std::vector<float>{1, 3, 2, kNever, kNever, 0, 5, 4, 3, 2}, {2, 5});
  const std::vector<int32_t> tokens = {4, 70, 900};
  const std::vector<RowSelection> rows = {{.count = 4, .width = 5, .tokens = tokens},
                                          {.count = 4, .width = 5}};
  NextTokens top;
  const auto forbid = [](int64_t, TokenScores& scores) {
    scores.forbid(1);
    scores.forbid(70);
  };
  top.find(logits, rows, forbid);
  ASSERT_EQ(top.row(0).size(), 2u);
  EXPECT_EQ(top.row(0)[0].token, 900);
  EXPECT_EQ(top.row(0)[1].token, 4);
  const std::vector<double> own = log_softmax({1, 3, 2});
  EXPECT_NEAR(top.row(0)[0].log_probability, own[2], 1e-6);
  EXPECT_NEAR(top.log_probability(0, 4), own[0], 1e-6);
  for (const int32_t other : {70, 5, 1000}) EXPECT_EQ(top.log_probability(0, other), kNever);
  ASSERT_EQ(top.row(1).size(), 4u);
  EXPECT_EQ(top.row(1)[0].token, 2);
  EXPECT_NEAR(top.log_probability(1, 0), log_softmax({0, 5, 4, 3, 2})[0], 1e-6);
}

}  // namespace
}  // namespace weft::decode
