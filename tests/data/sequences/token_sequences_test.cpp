#include "weft/data/sequences/token_sequences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using testing::ElementsAre;

std::vector<int32_t> labels_of(const Batch& batch) { return std::get<Labels>(batch.fields[1]).ids; }

TEST(TokenSequences, AreConsecutivePartsThatLearnEveryTokenButTheFirstOnce) {
  TokenSequences sequences(3);
  sequences.add(std::vector<int32_t>{1, 2, 3, 4, 5, 6});
  ASSERT_EQ(sequences.size(), 2);
  const Batch batch = sequences.batch(std::vector<int64_t>{0, 1});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(batch.tokens(0).segments.offsets, ElementsAre(0, 3, 5));
  EXPECT_THAT(labels_of(batch), ElementsAre(2, 3, 4, 5, 6));
  EXPECT_EQ(sequences.cost(1).rows, 2);
  EXPECT_EQ(sequences.labels(1), 2);
  EXPECT_EQ(sequences.total_labels(), 5);
}

TEST(TokenSequences, DoNotCrossTexts) {
  TokenSequences sequences(10);
  sequences.add(std::vector<int32_t>{1, 2});
  sequences.add(std::vector<int32_t>{3, 4, 5});
  const Batch batch = sequences.batch(std::vector<int64_t>{1, 0});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(3, 4, 1));
  EXPECT_THAT(labels_of(batch), ElementsAre(4, 5, 2));
}

TEST(TokenSequences, LeaveOutPartsWithoutLabels) {
  TokenSequences sequences(2);
  sequences.add(std::vector<int32_t>{1, 2, 3, 4, 5}, {false, false, false, false, true});
  ASSERT_EQ(sequences.size(), 1);
  const Batch batch = sequences.batch(std::vector<int64_t>{0});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(3, 4));
  EXPECT_THAT(labels_of(batch), ElementsAre(kNoLabel, 5));
  EXPECT_EQ(sequences.labels(0), 1);
}

TEST(TokenSequences, TakeTheBeginningOfATextAlone) {
  TokenSequences sequences(2);
  EXPECT_TRUE(sequences.add_first(std::vector<int32_t>{1, 2, 3, 4}, {false, false, true, true}));
  EXPECT_FALSE(sequences.add_first(std::vector<int32_t>{1, 2, 3, 4}, {false, false, false, true}));
  EXPECT_TRUE(sequences.add_first(std::vector<int32_t>{7, 8}, {}));
  const Batch batch = sequences.batch(std::vector<int64_t>{0, 1});
  EXPECT_THAT(batch.tokens(0).ids, ElementsAre(1, 2, 7));
  EXPECT_THAT(labels_of(batch), ElementsAre(kNoLabel, 3, 8));
}

TEST(TokenSequences, ATextOfOneTokenHasNothingToLearn) {
  TokenSequences sequences(2);
  sequences.add(std::vector<int32_t>{1});
  sequences.add(std::vector<int32_t>{});
  EXPECT_EQ(sequences.size(), 0);
}

TEST(TokenSequences, FingerprintsDifferWithTokensLabelsAndParts) {
  const auto fingerprint = [](int64_t most, const std::vector<int32_t>& ids,
                              const std::vector<bool>& is_label = {}) {
    TokenSequences sequences(most);
    sequences.add(ids, is_label);
    return sequences.fingerprint();
  };
  const uint64_t usual = fingerprint(4, {1, 2, 3});
  EXPECT_EQ(fingerprint(4, {1, 2, 3}), usual);
  EXPECT_NE(fingerprint(4, {1, 2, 4}), usual);
  EXPECT_NE(fingerprint(1, {1, 2, 3}), usual);
  EXPECT_NE(fingerprint(4, {1, 2, 3}, {true, false, true}), usual);
}

}  // namespace
}  // namespace weft::data
