#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ops/misuse.h"
#include "tests/support/environment.h"
#include "weft/ops/batch_norm.h"
#include "weft/ops/drop_path.h"
#include "weft/ops/fused/distillation_loss.h"
#include "weft/ops/fused/paired_loss.h"
#include "weft/ops/fused/projection_ctc.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/ops/fused/unlikelihood_loss.h"
#include "weft/ops/losses/divergence.h"
#include "weft/ops/rows/mean_rows.h"

namespace weft::ops {
namespace {

using test::expect_shape_errors;
using test::Misuse;
using test::zeros;
using weft::test::ScopedEnvironment;

RowWeights row_weights(std::vector<float> each) {
  return std::make_shared<const std::vector<float>>(std::move(each));
}

const Tensor kInput = zeros(4, 6), kGain = zeros(1, 6), kProjection = zeros(3, 6), kAbsent;
const Ids kTargets = make_ids({0, 1, 2, 0});
const LabelsPtr kThree = make_labels({0, 1, 2}, {{0, 1, 2, 3}});
const LabelsPtr kSeven = make_labels({7}, {{0, 1, 1, 1, 1}});

std::vector<Misuse> misuses() {
  return {
      {[] { rms_norm(kInput, {zeros(1, 5)}, nullptr); }, "rms_norm: gamma has the wrong shape"},
      {[] { residual_rms_norm(kInput, zeros(3, 6), {}, {kGain}, nullptr); },
       "residual_norm: residual has the wrong shape"},
      {[] { residual_rms_norm(kInput, kInput, {}, {zeros(1, 5)}, nullptr); },
       "residual_norm: gamma has the wrong shape"},
      {[] { column_moments(zeros(0, 6)); }, "batch_norm: no rows"},
      {[] {
         batch_norm(kInput, {zeros(1, 5), kGain}, {zeros(2, 6)}, nullptr);
       },
       "batch_norm: gamma has the wrong shape"},
      {[] {
         batch_norm(kInput, {kGain, zeros(2, 6)}, {zeros(2, 6)}, nullptr);
       },
       "batch_norm: beta has the wrong shape"},
      {[] {
         batch_norm(kInput, {kGain, kGain}, {kGain}, nullptr);
       },
       "batch_norm: moments has the wrong shape"},
      {[] {
         const auto three = make_layout({{0, 3}});
         drop_path(kInput, make_dropout(0.5, {}, 0, three), nullptr);
       },
       "expected [3, any], got [4, 6]"},
      {[] {
         cross_entropy(kInput, kTargets, {.row_weights = row_weights({1, 1})}, nullptr);
       },
       "expected 4 weights of rows, got 2"},
      {[] {
         projection_loss(kInput, {kProjection, kAbsent}, kTargets,
                         {.row_weights = row_weights({1})}, nullptr);
       },
       "expected 4 weights of rows, got 1"},
      {[] { unlikelihood(kInput, kThree, {}, nullptr); },
       "unlikelihood: 3 labels of 3 examples; expected labels of 4 examples"},
      {[] { unlikelihood(kInput, kSeven, {}, nullptr); },
       "unlikelihood: candidate 7 out of range; expected 0 to 5"},
      {[] {
         unlikelihood_loss(kInput, {kProjection, kAbsent}, {kTargets, kThree}, {}, nullptr);
       },
       "unlikelihood: 3 labels of 3 examples"},
      {[] {
         unlikelihood_loss(kInput, {kProjection, kAbsent}, {kTargets, kSeven}, {}, nullptr);
       },
       "unlikelihood: candidate 7 out of range"},
      {[] { divergence(kInput, zeros(4, 5), {}, nullptr); }, "divergence: z has the wrong shape"},
      {[] { divergence(kInput, kInput, {.row_weights = row_weights({1})}, nullptr); },
       "expected 4 weights of rows, got 1"},
      {[] {
         distillation_loss({kInput, {kProjection, kAbsent}}, {zeros(3, 2), {zeros(3, 2), kAbsent}},
                           kTargets, {}, nullptr);
       },
       "the teacher's states has the wrong shape"},
      {[] {
         distillation_loss({kInput, {kProjection, kAbsent}}, {zeros(4, 2), {zeros(5, 2), kAbsent}},
                           kTargets, {}, nullptr);
       },
       "the teacher's weight has the wrong shape"},
      {[] {
         paired_loss({kInput, zeros(3, 6)}, {kProjection, kAbsent}, kTargets, {}, nullptr);
       },
       "paired_loss: the second pass has the wrong shape"},
  };
}

TEST(NormsAndLosses, NameTheOperandThatDoesNotFit) { expect_shape_errors(misuses()); }

TEST(NormsAndLosses, NameItInTheirTwinsToo) {
  const ScopedEnvironment composite("WEFT_FUSED", "0");
  expect_shape_errors(misuses());
}

TEST(NormsAndLosses, RefuseNumbersOutOfRange) {
  const auto distil = [](Distillation params) {
    distillation_loss({kInput, {kProjection, kAbsent}}, {kInput, {kProjection, kAbsent}}, kTargets,
                      params, nullptr);
  };
  EXPECT_THROW(distil({.share = 1.5}), OptionError);
  EXPECT_THROW(distil({.share = -0.5}), OptionError);
  EXPECT_THROW(distil({.temperature = 0}), OptionError);
  EXPECT_THROW(divergence(kInput, kInput, {.temperature = -1}, nullptr), OptionError);
}

TEST(DropPath, DropsWholeSequencesAndScalesTheOthers) {
  std::vector<int32_t> offsets{0};
  for (int32_t b = 0; b < 400; ++b) offsets.push_back(offsets.back() + b % 3);
  const DropoutParams drop = make_dropout(0.25, {1, 2}, 9, make_layout({offsets, 30}));
  const Tensor x = Tensor::full({offsets.back(), 5}, 3, DType::kF32);
  const Tensor y = drop_path(x, drop, nullptr);
  int64_t dropped = 0, sequences = 0;
  for (size_t b = 0; b + 1 < offsets.size(); ++b) {
    if (offsets[b] == offsets[b + 1]) continue;
    ++sequences;
    const float first = y.data<float>()[offsets[b] * 5];
    EXPECT_TRUE(first == 0 || first == 4);  // 3 / (1 - 0.25)
    dropped += first == 0;
    for (int64_t i = offsets[b] * 5; i < offsets[b + 1] * 5; ++i) {
      EXPECT_EQ(y.data<float>()[i], first);
    }
  }
  EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(sequences), 0.25, 0.1);
  // The same sequences in another batch: a draw depends on the sequence alone.
  const DropoutParams later = make_dropout(0.25, {1, 2}, 9, make_layout({{0, 1}, 34}));
  EXPECT_EQ(drop_path(x.row_range(0, 1), later, nullptr).data<float>()[0],
            y.data<float>()[offsets[4] * 5]);
}

TEST(MeanRows, RefusesRowsThatAreNotThere) {
  const LayoutPtr rows = make_layout({{0, 2, 5}});
  EXPECT_THROW(mean_rows(zeros(4, 3), rows, nullptr), ShapeError);
}

TEST(ProjectionCtc, RefusesWhatDoesNotFit) {
  const Tensor x = zeros(5, 3), weight = zeros(4, 3), none;
  const LayoutPtr rows = make_layout({{0, 2, 5}});
  const auto run = [&](const LayoutPtr& spoken, std::vector<int32_t> ids,
                       std::vector<int32_t> offsets) {
    projection_ctc(x, {weight, none}, {spoken, make_labels(std::move(ids), {std::move(offsets)})},
                   {}, nullptr);
  };
  EXPECT_NO_THROW(run(rows, {1, 2}, {0, 1, 2}));
  EXPECT_THROW(run(rows, {1, 2}, {0, 2}), ShapeError);
  EXPECT_THROW(run(rows, {1, 2}, {0, 1, 1}), ShapeError);
  EXPECT_THROW(run(rows, {1, 0}, {0, 1, 2}), ShapeError);
  EXPECT_THROW(run(make_layout({{0, 2, 4}}), {1, 2}, {0, 1, 2}), ShapeError);
}

}  // namespace
}  // namespace weft::ops
