#include "weft/ops/losses/crf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/ops/misuse.h"
#include "tests/support/tensors.h"

namespace weft::ops {
namespace {

using testing::ElementsAre;
using weft::test::random_tensor;

class CrfOp : public testing::Test {
 protected:
  const LayoutPtr rows_ = make_layout({{0, 3, 3, 5}});
  const Tensor emissions_ = random_tensor({5, 3}, 1);
  const Tensor transitions_ = random_tensor({3, 3}, 2);
  const Tensor start_ = random_tensor({1, 3}, 3), end_ = random_tensor({1, 3}, 4);
  const CrfWeights weights_{transitions_, start_, end_};
  const AllowedTagsPtr bio_ = std::make_shared<const data::AllowedTags>(
      data::allowed_tags(std::vector<std::string>{"O", "B-x", "I-x"}, data::TagScheme::kBio));

  CrfLoss loss(std::vector<int32_t> labels, const CrfParams& params = {}) const {
    return crf(emissions_, weights_, {rows_, make_ids(std::move(labels))}, params, nullptr);
  }
};

TEST_F(CrfOp, GivesEachSequenceItsLoss) {
  const CrfLoss out = loss({0, 1, 2, 2, 0}, {.weight = 0.5});
  ASSERT_EQ(out.losses.size(), 3u);
  EXPECT_GT(out.losses[0], 0);
  EXPECT_EQ(out.losses[1], 0);
  EXPECT_DOUBLE_EQ(out.value.item(), 0.5 * (out.losses[0] + out.losses[2]));
  EXPECT_TRUE(out.impossible.empty());
}

TEST_F(CrfOp, LeavesOutSequencesWhoseLabelsAreNotAllowed) {
  const CrfLoss out = loss({0, 2, 2, 0, 1}, {.allowed = bio_});
  EXPECT_THAT(out.impossible, ElementsAre(0));
  EXPECT_EQ(out.losses[0], 0);
  EXPECT_GT(out.losses[2], 0);
  EXPECT_DOUBLE_EQ(out.value.item(), out.losses[2]);
}

TEST_F(CrfOp, DecodesTheMostProbableLabels) {
  const CrfPaths paths = crf_decode(emissions_, weights_, rows_);
  const double least = loss(paths.labels).losses[0];
  for (int32_t code = 0; code < 27; ++code) {
    std::vector<int32_t> other = paths.labels;
    other[0] = code % 3, other[1] = code / 3 % 3, other[2] = code / 9;
    EXPECT_GE(loss(other).losses[0], least);
  }
  EXPECT_EQ(paths.scores[1], 0);
  const CrfPaths allowed = crf_decode(emissions_, weights_, rows_, bio_);
  EXPECT_TRUE(loss(allowed.labels, {.allowed = bio_}).impossible.empty());
}

TEST_F(CrfOp, MarginalsAreDerivativesOfTheSumOverAllLabellings) {
  const Tensor marginals = crf_marginals(emissions_, weights_, rows_, bio_);
  const double step = 1e-6;
  const std::vector<int32_t> truth{0, 1, 2, 1, 0};
  for (int64_t n = 0; n < 5; ++n) {
    double sum = 0;
    for (int64_t c = 0; c < 3; ++c) {
      const auto partition = [&](double by) {  // less the score of the truth, which is the same
        const Tensor moved = emissions_.clone();
        moved.data<double>()[n * 3 + c] += by;
        return crf(moved, weights_, {rows_, make_ids(truth)}, {.allowed = bio_}, nullptr)
            .value.item();
      };
      const double slope = (partition(step) - partition(-step)) / (2 * step);
      const double p = marginals.data<double>()[n * 3 + c];
      EXPECT_NEAR(p, slope + (truth[n] == c ? 1 : 0), 1e-8);
      sum += p;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_EQ(marginals.data<double>()[2], 0);  // no I at the beginning
}

TEST_F(CrfOp, RefusesWhatDoesNotFit) {
  using test::zeros;
  const Tensor none = zeros(5, 0), square = zeros(2, 2), row = zeros(1, 2);
  const auto few = std::make_shared<const data::AllowedTags>(
      data::allowed_tags(std::vector<std::string>{"O"}, data::TagScheme::kBio));
  test::expect_shape_errors({
      {[&] { crf_decode(none, weights_, rows_); }, "emissions of no label"},
      {[&] {
         crf_decode(emissions_, {square, start_, end_}, rows_);
       },
       "transitions"},
      {[&] {
         crf_decode(emissions_, {transitions_, row, end_}, rows_);
       },
       "start"},
      {[&] {
         crf_marginals(emissions_, {transitions_, start_, row}, rows_);
       },
       "end"},
      {[&] { crf_decode(zeros(4, 3), weights_, rows_); }, "emissions"},
      {[&] { crf_decode(emissions_, weights_, rows_, few); }, "rules for 1 labels; expected 3"},
      {[&] {
         loss({0, 1, 2, 2});
       },
       "4 labels for 5 rows"},
      {[&] {
         loss({0, 1, 2, 2, 3});
       },
       "label 3; expected 0 to 2"},
      {[&] {
         loss({0, 1, -1, 2, 0});
       },
       "label -1; expected 0 to 2"},
  });
}

}  // namespace
}  // namespace weft::ops
