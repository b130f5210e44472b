#include "weft/ops/losses/box_loss.h"

#include "tests/ops/misuse.h"
#include "tests/support/tensors.h"
#include "weft/data/boxes/box.h"

namespace weft::ops {
namespace {

BoxTargetsPtr targets(std::vector<int32_t> rows, std::vector<float> boxes) {
  return std::make_shared<const BoxTargets>(BoxTargets{std::move(rows), std::move(boxes)});
}

TEST(BoxLoss, SumsOverTargets) {
  const std::vector<double> x = {0.5,  0.5,  0.5, 0.5, 0.75, 0.25, 0.25, 0.5,
                                 0.25, 0.25, 0.5, 0.5, 0.5,  0.5,  0.25, 1};
  const std::vector<float> t = {0.5f, 0.375f, 0.25f, 0.75f, 0.75f, 0.75f, 0.25f, 0.25f};
  const BoxLoss loss =
      box_loss(Tensor::from(x, {4, 4}), targets({3, 0}, t), {.l1 = 5, .giou = 2}, nullptr);
  const double l1 = (0 + 0.125 + 0 + 0.25) + (0.25 + 0.25 + 0.25 + 0.25);
  const double giou = (1 - data::generalized_iou(data::Box::around(0.5, 0.5, 0.25, 1),
                                                 data::Box::around(0.5, 0.375, 0.25, 0.75))) +
                      (1 - data::generalized_iou(data::Box::around(0.5, 0.5, 0.5, 0.5),
                                                 data::Box::around(0.75, 0.75, 0.25, 0.25)));
  EXPECT_DOUBLE_EQ(loss.l1, l1);
  EXPECT_DOUBLE_EQ(loss.giou, giou);
  EXPECT_DOUBLE_EQ(loss.value.item(), 5 * l1 + 2 * giou);
}

TEST(BoxLoss, OfNoTargetIsZero) {
  autograd::Tape tape;
  const Tensor x = tape.watch(weft::test::random_tensor({3, 4}, 1));
  const BoxLoss loss = box_loss(x, targets({}, {}), {}, &tape);
  EXPECT_EQ(loss.value.item(), 0);
  autograd::Gradients gradients;
  tape.backward(loss.value, gradients);
  EXPECT_EQ(weft::test::values(gradients.of(x)), std::vector<double>(12, 0));
}

TEST(BoxLoss, NamesWhatIsWrong) {
  const std::vector<float> unit(4, 0.5f);
  test::expect_shape_errors({
      {[&] { box_loss(test::zeros(2, 5), targets({}, {}), {}, nullptr); }, "boxes"},
      {[&] {
         box_loss(test::zeros(2, 4), targets({0, 1}, unit), {}, nullptr);
       },
       "expected 8 numbers for 2 targets, got 4"},
      {[&] { box_loss(test::zeros(2, 4), targets({2}, unit), {}, nullptr); },
       "row 2; expected 0 to 1"},
      {[&] { box_loss(test::zeros(2, 4), targets({-1}, unit), {}, nullptr); }, "row -1"},
      {[&] {
         box_loss(test::zeros(2, 4), targets({1, 1}, std::vector<float>(8, 1)), {}, nullptr);
       },
       "row 1 has two targets"},
      {[&] {
         box_loss(test::zeros(2, 4), targets({0}, {0.5f, 0.5f, 0, 1}), {}, nullptr);
       },
       "a target of 0 by 1; expected an area"},
  });
}

}  // namespace
}  // namespace weft::ops
