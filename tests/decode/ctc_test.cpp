// CTC search, prefix scores and alignment, against sums over all alignments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "tests/support/tensors.h"
#include "weft/decode/search/ctc_prefix.h"
#include "weft/decode/search/ctc_search.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/softmax.h"

namespace weft::decode {
namespace {

using Text = std::vector<int32_t>;

constexpr int32_t kBlank = 1;

Tensor random_log_probabilities(int64_t rows, int64_t vocab, uint64_t stream) {
  const Tensor logits = test::random_tensor({rows, vocab}, stream, DType::kF32);
  backend_of(logits)(kernels::Scale{.alpha = 3, .x = logits, .y = logits});
  backend_of(logits)(kernels::LogSoftmax{.x = logits, .y = logits});
  return logits;
}

double log_p(const Tensor& x, int64_t t, int32_t token) {
  return test::values(x)[static_cast<size_t>(t * x.cols() + token)];
}

// What an alignment, a token or the blank for each row, spells.
Text spelled(const Text& alignment) {
  Text out;
  for (size_t t = 0; t < alignment.size(); ++t) {
    if (alignment[t] == kBlank || (t > 0 && alignment[t] == alignment[t - 1])) continue;
    out.push_back(alignment[t]);
  }
  return out;
}

// Calls take(alignment, log p) for every one.
template <class Take>
void for_each_alignment(const Tensor& x, const Take& take) {
  int64_t count = 1;
  for (int64_t t = 0; t < x.rows(); ++t) count *= x.cols();
  for (int64_t number = 0; number < count; ++number) {
    Text alignment;
    double sum = 0;
    for (int64_t rest = number; std::ssize(alignment) < x.rows(); rest /= x.cols()) {
      alignment.push_back(static_cast<int32_t>(rest % x.cols()));
      sum += log_p(x, std::ssize(alignment) - 1, alignment.back());
    }
    take(alignment, sum);
  }
}

std::map<Text, double> all_texts(const Tensor& x) {
  std::map<Text, double> out;
  for_each_alignment(
      x, [&](const Text& alignment, double p) { out[spelled(alignment)] += std::exp(p); });
  return out;
}

TEST(CtcSearch, FindsTheMostProbableTexts) {
  for (const uint64_t stream : {1, 2, 3}) {
    const Tensor x = random_log_probabilities(5, 4, stream);
    std::vector<std::pair<double, Text>> expected;
    for (const auto& [text, p] : all_texts(x)) expected.emplace_back(p, text);
    std::ranges::sort(expected, std::greater());
    const NBest found = search_ctc(x, {.blank = kBlank, .beam_size = 400});
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(found[i].tokens, expected[i].second);
      EXPECT_NEAR(found[i].log_probability, std::log(expected[i].first), 1e-5);
    }
  }
}

TEST(CtcSearch, WithABeamOfOneSpellsTheBestAlignment) {
  const Tensor x = random_log_probabilities(5, 4, 4);
  Text best;
  double most = -std::numeric_limits<double>::infinity();
  for_each_alignment(x, [&](const Text& alignment, double p) {
    if (p <= most) return;
    most = p;
    best = alignment;
  });
  const NBest found = search_ctc(x, {.blank = kBlank});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tokens, spelled(best));
  EXPECT_NEAR(found[0].log_probability, most, 1e-5);
}

TEST(CtcSearch, HoldsNoForbiddenToken) {
  const Tensor x = random_log_probabilities(6, 4, 5);
  for (const int64_t beam : {1, 50}) {
    for (const Hypothesis& h :
         search_ctc(x, {.blank = kBlank, .beam_size = beam, .forbidden = {0, 2}})) {
      EXPECT_EQ(std::ranges::count(h.tokens, 3), std::ssize(h.tokens));
    }
  }
}

// log p of all texts that begin with a prefix, and of the prefix itself.
TEST(CtcPrefixScorer, SumsOverAllTextsThatBeginWithAPrefix) {
  const Tensor x = random_log_probabilities(5, 4, 6);
  const CtcPrefixScorer scorer(x, kBlank);
  const auto begins = [&](const Text& prefix) {
    double sum = 0;
    for (const auto& [text, p] : all_texts(x)) {
      if (text.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), text.begin())) {
        sum += p;
      }
    }
    return std::log(sum);
  };
  const auto texts = all_texts(x);
  for (const Text& prefix : {Text{}, Text{0}, Text{2, 2}, Text{3, 0, 3}, Text{2, 2, 2}}) {
    CtcPrefixScorer::Prefix state = scorer.start();
    for (const int32_t token : prefix) state = scorer.extend(state, token);
    EXPECT_NEAR(state.score, begins(prefix), 1e-5);
    const std::vector<double> scores = scorer.scores(state);
    for (const int32_t token : {0, 2, 3}) {
      Text longer = prefix;
      longer.push_back(token);
      if (std::isinf(begins(longer))) {
        EXPECT_LT(scores[token], -60);
      } else {
        EXPECT_NEAR(scores[token] + state.score, begins(longer), 1e-5);
      }
    }
    EXPECT_NEAR(scores[kBlank] + state.score, std::log(texts.at(prefix)), 1e-5);
  }
}

TEST(AlignCtc, IsTheMostProbableAlignment) {
  for (const uint64_t stream : {7, 8, 9}) {
    const Tensor x = random_log_probabilities(6, 4, stream);
    for (const Text& text : {Text{0}, Text{2, 2}, Text{3, 0, 3}, Text{}}) {
      Text best;
      double most = -std::numeric_limits<double>::infinity();
      for_each_alignment(x, [&](const Text& alignment, double p) {
        if (spelled(alignment) != text || p <= most) return;
        most = p;
        best = alignment;
      });
      const std::vector<TokenRows> rows = align_ctc(x, text, kBlank);
      ASSERT_EQ(rows.size(), text.size());
      Text aligned(6, kBlank);
      for (size_t i = 0; i < text.size(); ++i) {
        for (int64_t t = rows[i].begin; t < rows[i].end; ++t) aligned[t] = text[i];
      }
      EXPECT_EQ(aligned, best);
    }
  }
}

TEST(AlignCtc, IsEmptyWhereThereAreTooFewRows) {
  const Tensor x = random_log_probabilities(2, 4, 1);
  EXPECT_TRUE(align_ctc(x, Text{2, 2}, kBlank).empty());
  EXPECT_EQ(align_ctc(x, Text{2, 0}, kBlank).size(), 2u);
}

TEST(LogAdd, AddsProbabilities) {
  const double impossible = -std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(log_add(std::log(0.25), std::log(0.5)), std::log(0.75));
  EXPECT_EQ(log_add(impossible, impossible), impossible);
  EXPECT_EQ(log_add(impossible, -3), -3);
}

}  // namespace
}  // namespace weft::decode
