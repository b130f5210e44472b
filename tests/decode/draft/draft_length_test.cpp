#include "weft/decode/draft/draft_length.h"

#include <gtest/gtest.h>

namespace weft::decode {
namespace {

// The longest draft in `steps` steps. Every drafted token is right, or every one is wrong.
int64_t longest_draft(DraftLength& length, bool is_right, int64_t steps) {
  int64_t longest = 0;
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t next = length.next(0, 0);
    length.record(is_right ? next : 0, !is_right && next > 0);
    longest = std::max(longest, next);
  }
  return longest;
}

TEST(DraftLength, GrowsWhileDraftsAreRight) {
  DraftLength length;
  const int64_t first = length.next(0, 0);
  EXPECT_GE(first, 1);
  EXPECT_LT(first, DraftLength::kMost);
  EXPECT_EQ(longest_draft(length, true, 30), DraftLength::kMost);
}

TEST(DraftLength, IsTheBestForItsAcceptance) {
  DraftLength length;
  for (int i = 0; i < 5; ++i) length.record(1, false);
  for (int i = 0; i < 2; ++i) length.record(3, true);
  double acceptance = 0.5;
  for (const int right : {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0}) {
    acceptance += 0.125 * (right - acceptance);
  }
  for (const int64_t others : {0, 3, 20}) {
    for (const double token_cost : {0.0, 0.2, 0.9}) {
      int64_t best = 0;
      double best_speed = 0, tokens = static_cast<double>(others), power = 1;
      for (int64_t k = 0; k <= DraftLength::kMost; ++k, power *= acceptance) {
        tokens += power;
        const double rows = static_cast<double>(others + k);
        const double cost = 1 + DraftLength::kRowCost * rows + token_cost * static_cast<double>(k);
        if (tokens / cost > best_speed) best = k, best_speed = tokens / cost;
      }
      EXPECT_EQ(length.next(others, token_cost), best) << others << ", " << token_cost;
    }
  }
}

// Off, it tries one token after a pause that doubles up to 128 steps.
TEST(DraftLength, IsOffWhileDraftsAreWrong) {
  DraftLength length;
  longest_draft(length, false, 20);
  int64_t drafted = 0;
  for (int64_t i = 0; i < 1280; ++i) {
    const int64_t next = length.next(0, 0);
    length.record(0, next > 0);
    drafted += next;
  }
  EXPECT_GE(drafted, 9);
  EXPECT_LE(drafted, 14);
}

TEST(DraftLength, WaitsForATokenToTry) {
  DraftLength length;
  longest_draft(length, false, 20);
  for (int64_t i = 0; i < 200; ++i) length.next(0, 0);
  EXPECT_EQ(length.next(0, 0), 1);  // none has been drafted
  EXPECT_EQ(length.next(0, 0), 1);
  length.record(0, true);
  EXPECT_EQ(length.next(0, 0), 0);
}

TEST(DraftLength, IsOnAgainOnceDraftsAreRight) {
  DraftLength length;
  longest_draft(length, false, 400);
  EXPECT_EQ(longest_draft(length, true, 400), DraftLength::kMost);
}

}  // namespace
}  // namespace weft::decode
