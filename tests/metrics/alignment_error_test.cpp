#include "weft/metrics/alignment_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::metrics {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Lines = std::vector<std::string>;

AlignmentScore score(const Lines& hypotheses, const Lines& references) {
  return alignment_error({"out.links", hypotheses}, {"ref.links", references});
}

// |A| = 4, |S| = 3, A & S = {0-0, 2-1}, A & P = those and 1-1.
TEST(AlignmentError, FollowsOchAndNey) {
  const AlignmentScore got = score({"0-0 1-1 3-3", "2-1"}, {"0-0 1?1 2-2", "2-1 0?0"});
  EXPECT_DOUBLE_EQ(got.precision, 3.0 / 4);
  EXPECT_DOUBLE_EQ(got.recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(got.error_rate, 1 - 5.0 / 7);
}

TEST(AlignmentError, IsZeroForTheReferenceAndOneForNothingInCommon) {
  EXPECT_DOUBLE_EQ(score({"0-0 1-2"}, {"1-2 0-0"}).error_rate, 0);
  EXPECT_DOUBLE_EQ(score({"0-0 1-2"}, {"0-1 1-0"}).error_rate, 1);
  EXPECT_DOUBLE_EQ(score({"0-0 0-0"}, {"0-0"}).error_rate, 0);  // a repeated link counts once
  EXPECT_DOUBLE_EQ(score({""}, {""}).error_rate, 0);
}

TEST(AlignmentError, ReportsInvalidInput) {
  EXPECT_THAT(
      [] {
        score({"0-0", "x"}, {"", ""});
      },
      ThrowsMessage<FormatError>(HasSubstr("out.links:2: expected links")));
  EXPECT_THAT([] { score({"0-0"}, {"0"}); },
              ThrowsMessage<FormatError>(HasSubstr("ref.links:1: expected links")));
  EXPECT_THROW(score({"0-0"}, {"0-0", "0-0"}), FormatError);
  EXPECT_THROW(score({}, {}), FormatError);
}

}  // namespace
}  // namespace weft::metrics
