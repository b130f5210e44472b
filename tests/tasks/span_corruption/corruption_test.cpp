#include "weft/tasks/span_corruption/corruption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/data/text/vocabulary.h"

namespace weft::tasks {
namespace {

using Ids = std::vector<int32_t>;

constexpr int32_t kFirstSentinel = 3, kFirstWord = 13;

// Ids 3 to 12 are sentinels.
data::TokeniserPtr words_and_sentinels() {
  std::vector<std::string> tokens;
  for (int i = 0; i < 10; ++i) tokens.push_back(sentinel(i));
  for (int i = 0; i < 200; ++i) tokens.push_back("w" + std::to_string(i));
  return data::make_plain_tokeniser(data::Vocabulary(tokens, "tokens"));
}

// Texts of these many tokens, all different.
data::Batch lines_of(const std::vector<int>& lengths) {
  data::Tokens tokens;
  for (const int length : lengths) {
    Ids ids(static_cast<size_t>(length));
    std::iota(ids.begin(), ids.end(), kFirstWord);
    tokens.add(ids, 0);
  }
  return {.fields = {tokens}, .examples = {}};
}

bool is_sentinel(int32_t id) { return id >= kFirstSentinel && id < kFirstWord; }

// The spans of a target, by their sentinels.
std::map<int32_t, Ids> spans_of(std::span<const int32_t> target) {
  std::map<int32_t, Ids> out;
  int32_t last = -1;
  for (const int32_t id : target.first(target.size() - 1)) {
    if (is_sentinel(id)) {
      EXPECT_FALSE(out.contains(id));
      last = id;
      out[id];
    } else {
      out.at(last).push_back(id);
    }
  }
  return out;
}

// The text that a pair was made of.
Ids text_of(std::span<const int32_t> source, std::span<const int32_t> target) {
  const std::map<int32_t, Ids> spans = spans_of(target);
  Ids out;
  for (const int32_t id : source.first(source.size() - 1)) {
    if (is_sentinel(id)) {
      out.insert(out.end(), spans.at(id).begin(), spans.at(id).end());
    } else {
      out.push_back(id);
    }
  }
  return out;
}

class CorruptionTest : public testing::Test {
 protected:
  data::Batch pairs(const data::Batch& lines, const std::vector<uint32_t>& numbers,
                    PhiloxKey key = {7, 1}, uint32_t pass = 0) const {
    return Corruption(options_, *tokeniser_, "v")(lines,
                                                  {.key = key, .pass = pass, .numbers = numbers});
  }
  std::pair<int64_t, int64_t> counts(int64_t tokens, int64_t sentinels) const {
    const SpanCounts found = options_.counts(tokens, sentinels);
    return {found.tokens, found.spans};
  }

  data::TokeniserPtr tokeniser_ = words_and_sentinels();
  CorruptionOptions options_;
};

TEST_F(CorruptionTest, CountsTokensAndSpans) {
  using Pair = std::pair<int64_t, int64_t>;
  EXPECT_EQ(counts(512, 100), Pair(77, 26));  // as in T5
  EXPECT_EQ(counts(512, 8), Pair(77, 8));
  EXPECT_EQ(counts(20, 100), Pair(3, 1));
  EXPECT_EQ(counts(2, 100), Pair(1, 1));
  EXPECT_EQ(counts(1, 100), Pair(1, 1));
  options_ = {.ratio = 0.5, .mean_length = 1};
  EXPECT_EQ(counts(10, 100), Pair(5, 5));
  options_ = {.ratio = 0.9, .mean_length = 1};
  EXPECT_EQ(counts(10, 100), Pair(9, 2));  // one token between two spans
  options_ = {.ratio = 1};
  EXPECT_EQ(counts(10, 100), Pair(10, 1));
  options_ = {.ratio = 0.1, .mean_length = 100};
  EXPECT_EQ(counts(20, 100), Pair(2, 1));
}

TEST_F(CorruptionTest, MakesPairsThatHoldTheText) {
  const std::vector<int> lengths = {1, 2, 3, 10, 60, 150};
  std::vector<uint32_t> numbers(lengths.size());
  for (const CorruptionOptions& options :
       {CorruptionOptions{}, CorruptionOptions{.ratio = 0.5, .mean_length = 1},
        CorruptionOptions{.ratio = 0.9, .mean_length = 2}, CorruptionOptions{.ratio = 1}}) {
    options_ = options;
    const Corruption corruption(options_, *tokeniser_, "v");
    for (uint32_t first = 0; first < 50; ++first) {
      std::iota(numbers.begin(), numbers.end(), first);
      const data::Batch lines = lines_of(lengths), made = pairs(lines, numbers);
      for (int64_t b = 0; b < made.source().examples(); ++b) {
        const std::span<const int32_t> source = made.source()[b], target = made.target()[b];
        const auto length = lengths[static_cast<size_t>(b)];
        const models::PairLengths expected = corruption.lengths(length);
        EXPECT_EQ(std::ssize(source), expected.source);
        EXPECT_EQ(std::ssize(target), expected.target);
        EXPECT_EQ(source.back(), 0);
        EXPECT_EQ(target.back(), 0);
        const Ids text = text_of(source, target);
        const std::span<const int32_t> line = lines.tokens(0)[b];
        EXPECT_TRUE(std::ranges::equal(text, line.first(line.size() - 1)));
        int32_t next = kFirstSentinel;  // of both sides, in order, with no two side by side
        for (size_t i = 0; i < source.size(); ++i) {
          if (!is_sentinel(source[i])) continue;
          EXPECT_EQ(source[i], next++);
          EXPECT_FALSE(is_sentinel(source[i + 1]));
        }
        for (const auto& [id, span] : spans_of(target)) EXPECT_FALSE(span.empty());
        EXPECT_EQ(std::ssize(spans_of(target)), next - kFirstSentinel);
      }
    }
  }
}

// Of 6 tokens 3 are missing in 2 spans: 2 ways to cut 3 tokens, and of the 3 others one at least is
// between the spans, which leaves 6 ways.
TEST_F(CorruptionTest, DrawsAllSpansAlike) {
  options_ = {.ratio = 0.5, .mean_length = 1.5};
  std::map<Ids, int> seen;
  constexpr uint32_t kDraws = 12000;
  for (uint32_t number = 0; number < kDraws; ++number) {
    const data::Batch made = pairs(lines_of({6}), {number});
    ++seen[{made.source().ids.begin(), made.source().ids.end()}];
  }
  EXPECT_EQ(seen.size(), 12u);
  for (const auto& [source, count] : seen) EXPECT_NEAR(count, kDraws / 12, 120);  // 4 deviations
}

TEST_F(CorruptionTest, DrawsByKeyPassAndNumber) {
  const data::Batch together = pairs(lines_of({40, 50}), {3, 4});
  const data::Batch alone = pairs(lines_of({50}), {4});
  EXPECT_TRUE(std::ranges::equal(together.source()[1], alone.source()[0]));
  EXPECT_TRUE(std::ranges::equal(together.target()[1], alone.target()[0]));
  EXPECT_NE(alone.source().ids, pairs(lines_of({50}), {5}).source().ids);
  EXPECT_NE(alone.source().ids, pairs(lines_of({50}), {4}, {7, 2}).source().ids);
  EXPECT_NE(alone.source().ids, pairs(lines_of({50}), {4}, {7, 1}, 1).source().ids);
}

TEST_F(CorruptionTest, KnowsTheSentinelsOfAVocabulary) {
  EXPECT_EQ(sentinels_of(*tokeniser_), (Ids{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  const auto gap = data::make_plain_tokeniser(data::Vocabulary(
      {"a", "<extra_id_1>", "<extra_id_3>", "b", "<extra_id_0>", "<extra_id_01>"}, "tokens"));
  EXPECT_EQ(sentinels_of(*gap), (Ids{7, 4}));
  const auto none = data::make_plain_tokeniser(data::Vocabulary({"a", "<extra_id_1>"}, "tokens"));
  EXPECT_EQ(test::message_of<FormatError>([&] { Corruption(options_, *none, "v.txt"); }),
            "v.txt: the vocabulary lacks <extra_id_0>, which stands for a missing span; expected a "
            "file that is to be made, or a vocabulary of T5");
}

}  // namespace
}  // namespace weft::tasks
