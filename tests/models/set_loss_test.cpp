// Matching and loss against Transformers' HungarianMatcher and ImageLoss. The numbers are written
// by tools/golden/set_loss.py.
#include "weft/models/set_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"

namespace weft::models {
namespace {

using testing::ElementsAreArray;

class SetLoss : public testing::Test {
 protected:
  SetLoss() : file_(test::source_path("tests/golden/set_loss.safetensors")) {
    const auto counts = file_.tensor("counts").span<int32_t>();
    const auto labels = file_.tensor("labels").span<int32_t>();
    const auto targets = file_.tensor("targets").span<float>();
    labels_.ids.assign(labels.begin(), labels.end());
    boxes_.values.assign(targets.begin(), targets.end());
    boxes_.width = 4;
    for (const int32_t count : counts) {
      labels_.segments.append(count);
      boxes_.segments.append(count);
    }
    predicted_.logits = golden("logits");
    predicted_.boxes = golden("boxes");
    predicted_.rows = ops::make_layout(
        Segments::uniform(std::ssize(counts), predicted_.logits.rows() / std::ssize(counts)));
  }
  Tensor golden(const std::string& name) const { return file_.tensor(name).to(DType::kF64); }
  ExpectedBoxes expected_boxes() const { return {labels_, boxes_}; }

  formats::SafetensorsFile file_;
  data::Labels labels_;
  data::Features boxes_;
  BoxPredictions predicted_;
};

TEST_F(SetLoss, MatchesAsTransformersDoes) {
  EXPECT_THAT(match(predicted_, expected_boxes(), {}),
              ElementsAreArray(file_.tensor("rows").span<int32_t>()));
}

TEST_F(SetLoss, HasTheLossAndGradientsOfTransformers) {
  const double boxes = static_cast<double>(labels_.segments.rows());
  // There cross-entropies are a mean over weights, here over boxes.
  const SetLossParams params{.label_weight = boxes / golden("weights").item()};
  autograd::Tape tape;
  predicted_.logits = tape.watch(predicted_.logits);
  predicted_.boxes = tape.watch(predicted_.boxes);
  const ops::Loss loss = set_loss(predicted_, expected_boxes(), params, 1 / boxes, &tape);
  const double expected =
      golden("label_loss").item() + 5 * golden("l1_loss").item() + 2 * golden("giou_loss").item();
  EXPECT_NEAR(loss.value.item(), expected, 1e-5);
  EXPECT_NEAR(loss.total / boxes, expected, 1e-5);
  autograd::Gradients gradients;
  tape.backward(loss.value, gradients);
  EXPECT_LT(test::distance(gradients.of(predicted_.logits), golden("d_logits")), 1e-6);
  EXPECT_LT(test::distance(gradients.of(predicted_.boxes), golden("d_boxes")), 1e-6);
}

TEST_F(SetLoss, OfNumbersThatAreNotFiniteIsNotFinite) {
  predicted_.logits.span<double>()[0] = std::numeric_limits<double>::quiet_NaN();
  predicted_.boxes.span<double>()[40] = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(std::isfinite(set_loss(predicted_, expected_boxes(), {}, 1, nullptr).value.item()));
}

TEST_F(SetLoss, RefusesBoxesOfOtherPictures) {
  boxes_.segments.append(0);
  labels_.segments.append(0);
  EXPECT_THROW(match(predicted_, expected_boxes(), {}), ShapeError);
}

}  // namespace
}  // namespace weft::models
