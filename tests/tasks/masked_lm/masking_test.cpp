#include "weft/tasks/masked_lm/masking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/model_file/small_masked_lm.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using testing::Each;

// An example for each length, which counts tokens without special symbols. A word has `word`
// tokens.
data::Batch batch_of(const std::vector<int>& lengths, int word = 1) {
  data::Tokens tokens;
  data::Labels words;
  for (const int length : lengths) {
    std::vector<int32_t> ids = {2}, of_words = {-1};
    for (int i = 0; i < length; ++i) {
      ids.push_back(3 + i % 8);
      of_words.push_back(i / word);
    }
    ids.push_back(0);
    of_words.push_back(-1);
    tokens.add(ids);
    words.add(of_words);
  }
  return {.fields = {tokens, words}, .examples = {}};
}

std::vector<uint32_t> numbers_from(uint32_t first, size_t count) {
  std::vector<uint32_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

class MaskingTest : public testing::Test {
 protected:
  MaskedBatch mask(const data::Batch& batch, const std::vector<uint32_t>& numbers,
                   PhiloxKey key = {7, 1}) const {
    return Masking(options_, session_)(batch, {.key = key, .numbers = numbers});
  }

  model_file::MaskedLmSession session_ = model_file::small_masked_lm();
  MaskingOptions options_;
};

TEST_F(MaskingTest, ChoosesAShareOfTheTokens) {
  const std::vector<int> lengths = {1, 3, 20, 100};
  const data::Batch batch = batch_of(lengths);
  const MaskedBatch masked = mask(batch, numbers_from(0, 4));
  std::vector<int64_t> counts(4);
  for (size_t i = 0; i < masked.rows.size(); ++i) {
    const int32_t n = masked.rows[i];
    const auto& offsets = masked.tokens.segments.offsets;
    ++counts[static_cast<size_t>(std::ranges::upper_bound(offsets, n) - offsets.begin() - 1)];
    EXPECT_EQ(masked.labels[i], batch.tokens(0).ids[static_cast<size_t>(n)]);
    EXPECT_GE(masked.labels[i], 3);  // no special symbol
  }
  EXPECT_EQ(counts, (std::vector<int64_t>{1, 1, 3, 15}));
  EXPECT_THAT(masked.weights, Each(1));
  for (size_t n = 0; n < masked.tokens.ids.size(); ++n) {
    const bool is_chosen = std::ranges::binary_search(masked.rows, static_cast<int32_t>(n));
    if (is_chosen) continue;
    EXPECT_EQ(masked.tokens.ids[n], batch.tokens(0).ids[n]);
  }
}

TEST_F(MaskingTest, ReplacesTokensInShares) {
  options_.ratio = 0.5;
  const MaskedBatch masked = mask(batch_of(std::vector<int>(100, 200)), numbers_from(0, 100));
  double masks = 0, kept = 0;
  for (size_t i = 0; i < masked.rows.size(); ++i) {
    const int32_t id = masked.tokens.ids[static_cast<size_t>(masked.rows[i])];
    masks += id == session_.model.dims.mask_id ? 1 : 0;
    kept += id == masked.labels[i] ? 1 : 0;
    EXPECT_GE(id, 3);
  }
  const auto all = static_cast<double>(masked.rows.size());
  EXPECT_EQ(all, 10000);
  EXPECT_NEAR(masks / all, 0.8, 0.015);
  EXPECT_NEAR(kept / all, 0.1 + 0.1 / 8, 0.012);  // one in eight random ones is the same
  options_.mask_share = 1;
  options_.random_share = 0;
  const MaskedBatch hidden = mask(batch_of({50}), numbers_from(0, 1));
  for (const int32_t row : hidden.rows) {
    EXPECT_EQ(hidden.tokens.ids[static_cast<size_t>(row)], session_.model.dims.mask_id);
  }
}

// By its number in the update, whatever else is in the batch.
TEST_F(MaskingTest, DrawsTheSameForAnExampleInAnyBatch) {
  const data::Batch all = batch_of({30, 40, 50}), last = batch_of({40, 50});
  const MaskedBatch whole = mask(all, {0, 1, 2}), part = mask(last, {1, 2});
  const auto first = static_cast<size_t>(whole.tokens.segments.begin(1));
  EXPECT_TRUE(std::ranges::equal(part.tokens.ids, std::span(whole.tokens.ids).subspan(first)));
  EXPECT_TRUE(std::ranges::equal(part.labels, std::span(whole.labels).last(part.labels.size())));
  EXPECT_NE(mask(last, {2, 3}).tokens.ids, part.tokens.ids);
  EXPECT_NE(mask(last, {1, 2}, {7, 2}).rows, part.rows);
}

TEST_F(MaskingTest, TakesWordsWhole) {
  options_.whole_words = true;
  options_.ratio = 0.3;
  const MaskedBatch masked = mask(batch_of({40}, 4), numbers_from(0, 1));
  ASSERT_EQ(masked.rows.size(), 12u);
  for (size_t i = 0; i < masked.rows.size(); i += 4) {
    EXPECT_EQ((masked.rows[i] - 1) % 4, 0);
    EXPECT_EQ(masked.rows[i + 3], masked.rows[i] + 3);
  }
  EXPECT_THAT(masked.weights, Each(1));
  options_.ratio = 0.2;  // 8 of 41 tokens, in words of 5: one word counts as 8
  const MaskedBatch fewer = mask(batch_of({40}, 5), numbers_from(0, 1));
  ASSERT_EQ(fewer.rows.size(), 5u);
  EXPECT_THAT(fewer.weights, Each(testing::FloatEq(8.0F / 5)));
  options_.ratio = 0.01;  // one token: a word in any case
  const MaskedBatch one = mask(batch_of({40}, 5), numbers_from(0, 1));
  ASSERT_EQ(one.rows.size(), 5u);
  EXPECT_THAT(one.weights, Each(testing::FloatEq(1.0F / 5)));
}

TEST_F(MaskingTest, RefusesSharesOfMoreThanAll) {
  options_.random_share = 0.3;
  EXPECT_EQ(test::message_of<OptionError>([&] { options_.check(); }),
            "--random-share: expected at most 1 together with --mask-share 0.8, got 0.3");
}

}  // namespace
}  // namespace weft::tasks
