#include "weft/ops/losses/binary_cross_entropy.h"

#include <gtest/gtest.h>

#include "tests/ops/misuse.h"
#include "tests/support/tensors.h"

namespace weft::ops {
namespace {

RowWeights weights(std::vector<float> values) {
  return std::make_shared<const std::vector<float>>(std::move(values));
}

TEST(BinaryCrossEntropyOp, IsTheWeightedSumOfRows) {
  const Tensor logits = weft::test::random_tensor({3, 4}, 1);
  const LabelsPtr labels = make_labels({3, 0, 1}, {{0, 2, 2, 3}});
  const auto loss = binary_cross_entropy(
      logits, labels, {.weight = 0.5, .positive_weights = {}, .row_weights = weights({1, 0, 2})},
      nullptr);
  EXPECT_DOUBLE_EQ(loss.value.item(), 0.5 * (loss.losses[0] + 2 * loss.losses[2]));
  EXPECT_GT(loss.losses[1], 0);
}

TEST(BinaryCrossEntropyOp, RefusesWhatDoesNotFit) {
  const Tensor logits = test::zeros(2, 3);
  const auto run = [&](std::vector<int32_t> ids, std::vector<int32_t> offsets,
                       const BinaryCrossEntropy& params = {}) {
    binary_cross_entropy(logits, make_labels(std::move(ids), {std::move(offsets)}), params,
                         nullptr);
  };
  EXPECT_NO_THROW(run({2, 0, 2}, {0, 2, 3}));
  test::expect_shape_errors({
      {[&] {
         run({}, {0, 0});
       },
       "binary_cross_entropy: 0 labels of 1 examples; expected labels of 2 examples"},
      {[&] {
         run({1}, {0, 0, 2});
       },
       "1 labels of 2 examples"},
      {[&] {
         run({1}, {0, 2, 1});
       },
       "1 labels of 2 examples"},
      {[&] {
         run({3}, {0, 1, 1});
       },
       "label 3; expected 0 to 2"},
      {[&] {
         run({-1}, {0, 1, 1});
       },
       "label -1; expected 0 to 2"},
      {[&] {
         run({1, 2, 1}, {0, 0, 3});
       },
       "label 1 occurs twice in row 1"},
      {[&] {
         run({}, {0, 0, 0}, {.weight = 1, .positive_weights = weights({1}), .row_weights = {}});
       },
       "weights"},
      {[&] {
         run({}, {0, 0, 0}, {.weight = 1, .positive_weights = {}, .row_weights = weights({1})});
       },
       "weights"},
  });
}

}  // namespace
}  // namespace weft::ops
