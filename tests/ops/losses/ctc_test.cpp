#include "weft/ops/losses/ctc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"
#include "weft/ops/softmax.h"

namespace weft::ops {
namespace {

// What a path reads as: repeats joined, then blanks (0) left out.
std::vector<int32_t> read(const std::vector<int32_t>& path) {
  std::vector<int32_t> out;
  for (size_t t = 0; t < path.size(); ++t) {
    if (path[t] != 0 && (t == 0 || path[t] != path[t - 1])) out.push_back(path[t]);
  }
  return out;
}

// The probability of labels as the sum over every path there is.
double sum_over_paths(const Tensor& p, const std::vector<int32_t>& labels) {
  const int64_t rows = p.rows(), classes = p.cols();
  double sum = 0;
  for (int64_t code = 0; code < static_cast<int64_t>(std::pow(classes, rows)); ++code) {
    std::vector<int32_t> path;
    double product = 1;
    int64_t rest = code;
    for (int64_t t = 0; t < rows; ++t, rest /= classes) {
      path.push_back(static_cast<int32_t>(rest % classes));
      product *= p.data<double>()[t * classes + path.back()];
    }
    if (read(path) == labels) sum += product;
  }
  return sum;
}

TEST(Ctc, IsTheSumOverAllPaths) {
  const Tensor logits = weft::test::random_tensor({6, 4}, 3);
  const Tensor p = softmax(logits, nullptr);
  const LayoutPtr rows = make_layout({{0, 6}});
  const std::vector<std::vector<int32_t>> cases{
      {}, {1}, {1, 2, 3}, {2, 2}, {1, 1, 1}, {3, 3, 2, 2}, {1, 2, 1}, {1, 2, 3, 1, 2, 3}};
  for (const std::vector<int32_t>& labels : cases) {
    const LabelsPtr one = make_labels(labels, {{0, static_cast<int32_t>(labels.size())}});
    const CtcLoss loss = ctc(logits, rows, one, {}, nullptr);
    EXPECT_NEAR(std::exp(-loss.losses[0]), sum_over_paths(p, labels), 1e-12) << labels.size();
  }
}

TEST(Ctc, TellsOfSequencesTooShortForTheirLabels) {
  const Tensor logits = weft::test::random_tensor({5, 3}, 3);
  const LayoutPtr rows = make_layout({{0, 2, 5, 5}});
  const LabelsPtr labels = make_labels({1, 1, 1, 2}, {{0, 2, 4, 4}});
  const CtcLoss loss = ctc(logits, rows, labels, {}, nullptr);
  EXPECT_EQ(loss.impossible, std::vector<int64_t>{0});  // 1 1 needs a blank between
  EXPECT_EQ(loss.losses[0], 0);
  EXPECT_GT(loss.losses[1], 0);
  EXPECT_EQ(loss.losses[2], 0);  // no rows and no labels: certain
}

TEST(Ctc, RefusesLabelsThatAreNone) {
  const Tensor logits = weft::test::random_tensor({2, 3}, 3);
  const LayoutPtr rows = make_layout({{0, 2}});
  const auto run = [&](std::vector<int32_t> ids, std::vector<int32_t> offsets, int32_t blank) {
    ctc(logits, rows, make_labels(std::move(ids), {std::move(offsets)}), {.blank = blank}, nullptr);
  };
  EXPECT_NO_THROW(run({1}, {0, 1}, 0));
  EXPECT_THROW(run({0}, {0, 1}, 0), ShapeError);     // the blank
  EXPECT_THROW(run({3}, {0, 1}, 0), ShapeError);     // no class
  EXPECT_THROW(run({1}, {0, 1}, 3), ShapeError);     // no such blank
  EXPECT_THROW(run({1}, {0, 0, 1}, 0), ShapeError);  // two sequences
  EXPECT_THROW(run({1, 2}, {0, 1}, 0), ShapeError);  // a label of no sequence
}

TEST(Ctc, RefusesSegmentsOfLabelsThatFall) {
  const Tensor logits = weft::test::random_tensor({2, 3}, 3);
  const LabelsPtr falling = make_labels({1}, {{0, 2, 1}});
  EXPECT_THROW(ctc(logits, make_layout({{0, 1, 2}}), falling, {}, nullptr), ShapeError);
}

TEST(CtcRows, AreOneForEachLabelAndABlankBetweenEqualOnes) {
  EXPECT_EQ(ctc_rows({}), 0);
  EXPECT_EQ(ctc_rows(std::vector<int32_t>{3}), 1);
  EXPECT_EQ(ctc_rows(std::vector<int32_t>{3, 4, 3}), 3);
  EXPECT_EQ(ctc_rows(std::vector<int32_t>{3, 3, 3, 4}), 6);
}

}  // namespace
}  // namespace weft::ops
