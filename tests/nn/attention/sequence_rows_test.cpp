#include "weft/nn/attention/sequence_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace weft::nn {
namespace {

using kernels::AttentionPattern;
using testing::Each;
using testing::Le;

constexpr AttentionPattern kWindow = {.window = 5};
// Of a prompt or hypothesis, beside the rows of a pass.
constexpr int64_t kMostRows = 5 + SequenceRows::kDroppable + RowPool::kPageRows;

// Every row sees what the pattern shows it.
void expect_all_seen(const SequenceRows& rows) {
  for (size_t n = 0; n < rows.positions().size(); ++n) {
    const int32_t position = rows.positions()[n], first = rows.first_positions()[n];
    EXPECT_LE(first, rows.pattern().first_key(position));
    EXPECT_EQ(first + std::ssize(rows.attended()[n]), position + 1);
    EXPECT_EQ(rows.attended()[n].back(), rows.numbers()[n]);
  }
}

TEST(SequenceRows, KeepTheWindowOfAPromptOfAnyLength) {
  for (const AttentionPattern& pattern :
       {kWindow, AttentionPattern{.window = 1, .block = 3}, AttentionPattern{},
        AttentionPattern{.window = 1, .block = 3, .global = 1}}) {
    SequenceRows rows(pattern);
    for (int64_t i = 1; i <= 30; ++i) {
      rows.begin_pass();
      rows.extend_prompt(0, 40);
      expect_all_seen(rows);
      EXPECT_EQ(rows.positions().back(), 40 * i - 1);
      EXPECT_EQ(rows.prompt_rows(0), 40 * i);
      if (pattern == kWindow) {
        EXPECT_LE(rows.held(), kMostRows + 40);
      }
    }
    EXPECT_EQ(rows.held() == 1200, pattern.first_key(1200) == 0);
    rows.release(0);
    EXPECT_EQ(rows.held(), 0);
  }
}

TEST(SequenceRows, KeepTheWindowsOfHypotheses) {
  SequenceRows rows(kWindow);
  rows.begin_pass();
  rows.extend_prompt(0, 30);
  std::vector<int32_t> parents = {-1, -1, -1};
  for (int32_t t = 0; t < 1000; ++t) {
    rows.begin_pass();
    rows.continue_hypotheses(0, parents);
    expect_all_seen(rows);
    EXPECT_THAT(rows.positions(), Each(30 + t));
    parents = t % 3 == 0 ? std::vector<int32_t>{2, 1, 1} : std::vector<int32_t>{0, 2, 1};
  }
  EXPECT_THAT(rows.held(), Le(3 * kMostRows + 30));
  EXPECT_LE(rows.capacity(), 512);
  rows.release(0);
  EXPECT_EQ(rows.held(), 0);
}

TEST(SequenceRows, ShareABeginningWhoseEndIsThere) {
  SequenceRows rows(kWindow);
  for (const int64_t count : {200, 100, 50}) {
    rows.begin_pass();
    rows.extend_prompt(0, count);
  }
  EXPECT_FALSE(rows.has_beginning(0, 351));
  EXPECT_FALSE(rows.has_beginning(0, 100));
  ASSERT_TRUE(rows.has_beginning(0, 300 - SequenceRows::kDroppable));
  rows.share(0, 1, 240);
  rows.begin_pass();
  rows.extend_prompt(1, 1);
  EXPECT_EQ(rows.positions().front(), 240);
  expect_all_seen(rows);
  const int64_t held = rows.held();
  rows.release(0);
  EXPECT_EQ(rows.held(), held - 110);  // of 350 rows from 240 on
  rows.release(1);
  EXPECT_EQ(rows.held(), 0);
}

TEST(SequenceRows, LetTheLastRowsOfAPromptBeDropped) {
  SequenceRows rows(kWindow);
  for (int64_t i = 0; i < 20; ++i) {
    rows.begin_pass();
    rows.extend_prompt(0, 100);
    const int64_t left = rows.prompt_rows(0) - 100 - SequenceRows::kDroppable;
    if (i == 0) continue;
    ASSERT_TRUE(rows.has_beginning(0, left));
    rows.crop(0, left);
    EXPECT_EQ(rows.prompt_rows(0), left);
    rows.begin_pass();
    rows.extend_prompt(0, 100 + SequenceRows::kDroppable);
    expect_all_seen(rows);
  }
}

}  // namespace
}  // namespace weft::nn
