#include "weft/metrics/retrieval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::metrics {
namespace {

TEST(Retrieval, AveragesOverQueries) {
  const std::vector<int64_t> ranks = {1, 3, 10, 11};
  const RetrievalScores got = retrieval_scores(ranks);
  EXPECT_DOUBLE_EQ(got.value("accuracy"), 0.25);
  EXPECT_DOUBLE_EQ(got.value("mrr"), (1 + 1.0 / 3 + 0.1 + 1.0 / 11) / 4);
  EXPECT_DOUBLE_EQ(got.value("ndcg"), (1 + 0.5 + 1 / std::log2(11.0)) / 4);
}

TEST(Retrieval, IsZeroWithoutQueries) {
  EXPECT_EQ(retrieval_scores({}).accuracy, 0);
  EXPECT_EQ(retrieval_scores({}).gain, 0);
}

TEST(Retrieval, RefusesOtherRanksAndNames) {
  EXPECT_THROW(retrieval_scores(std::vector<int64_t>{0}), ShapeError);
  EXPECT_EQ(weft::test::message_of<OptionError>([] { (void)RetrievalScores().value("bleu"); }),
            "metric: expected accuracy, mrr or ndcg, got 'bleu'");
}

}  // namespace
}  // namespace weft::metrics
