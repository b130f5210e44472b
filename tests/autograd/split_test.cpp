#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/autograd/tape.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::autograd {
namespace {

using test::values;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// y = alpha x. Either writes d_x in place or moves a tensor of its own in.
Tensor times(double alpha, const Tensor& x, Tape& tape, bool in_place = true) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  backend_of(x)(kernels::Scale{.alpha = alpha, .x = x, .y = y});
  tape.record({&y}, {&x}, [alpha, in_place](Backward& b) {
    const Tensor d_y = b.d_output();
    const auto scale = [&](const Tensor& d_x) {
      backend_of(d_y)(kernels::Scale{.alpha = alpha, .x = d_y, .y = d_x});
    };
    if (in_place) return b.write(0, scale);
    const Tensor d_x = Tensor::empty(d_y.shape(), d_y.dtype());
    scale(d_x);
    b.add(0, d_x);
  });
  return y;
}

// The sum of all elements of all tensors.
Tensor total(const std::vector<Tensor>& all, Tape& tape) {
  Tensor sum;
  for (const Tensor& x : all) {
    double value = sum ? sum.item() : 0;
    for (const double element : values(x)) value += element;
    Tensor y = Tensor::full({1, 1}, value, DType::kF64);
    const Tensor before = sum;
    tape.record({&y}, {&x, &before}, [shape = x.shape()](Backward& b) {
      b.add(0, Tensor::full(shape, b.d_output().item(), DType::kF64));
      b.add(1, b.d_output());
    });
    sum = y;
  }
  return sum;
}

class Split : public testing::Test {
 protected:
  // A value [2, 6] that an op made of x.
  Tensor value() { return times(1, x_, tape_); }

  std::vector<double> gradient(const std::vector<Tensor>& results) {
    Gradients gradients;
    tape_.backward(total(results, tape_), gradients);
    return values(gradients.of(x_));
  }

  Tape tape_;
  Tensor x_ = tape_.watch(Tensor::full({2, 6}, 3, DType::kF64));
};

TEST_F(Split, HandsOutViewsOfTheColumns) {
  const Tensor y = value();
  const auto parts = tape_.split(y, {1, 3, 2});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].shape(), (Shape{2, 3}));
  EXPECT_TRUE(parts[1].shares_storage_with(y));
  EXPECT_EQ(parts[2].storage_offset(), 4);
}

TEST_F(Split, PutsTheGradientsOfPartsSideBySide) {
  for (const bool in_place : {true, false}) {
    tape_.reset();
    x_ = tape_.watch(x_);
    const auto parts = tape_.split(value(), {1, 3, 2});
    EXPECT_THAT(gradient({times(2, parts[0], tape_, in_place), times(3, parts[1], tape_, in_place),
                          times(5, parts[2], tape_, in_place)}),
                ElementsAre(2, 3, 3, 3, 5, 5, 2, 3, 3, 3, 5, 5));
  }
}

TEST_F(Split, LeavesZerosForAPartNotUsed) {
  const auto parts = tape_.split(value(), {1, 3, 2});
  EXPECT_THAT(gradient({times(5, parts[2], tape_)}),
              ElementsAre(0, 0, 0, 0, 5, 5, 0, 0, 0, 0, 5, 5));
}

TEST_F(Split, LeavesZerosWhereNoPartIsUsed) {
  tape_.split(value(), {1, 3, 2});
  EXPECT_THAT(gradient({times(1, tape_.watch(Tensor::zeros({1, 1}, DType::kF64)), tape_)}),
              testing::Each(0));
}

TEST_F(Split, AddsUpTheUsesOfAPart) {
  for (const bool first : {true, false}) {
    for (const bool second : {true, false}) {
      tape_.reset();
      x_ = tape_.watch(x_);
      const auto parts = tape_.split(value(), {2, 4});
      EXPECT_THAT(gradient({times(2, parts[1], tape_, first), times(5, parts[1], tape_, second)}),
                  ElementsAre(0, 0, 7, 7, 7, 7, 0, 0, 7, 7, 7, 7));
    }
  }
}

TEST_F(Split, AddsToAUseOfTheWholeBefore) {
  const Tensor y = value(), whole = times(10, y, tape_);
  const auto parts = tape_.split(y, {2, 4});
  EXPECT_THAT(gradient({times(2, parts[0], tape_), whole}),
              ElementsAre(12, 12, 10, 10, 10, 10, 12, 12, 10, 10, 10, 10));
}

TEST_F(Split, SplitsPartsAgain) {
  const auto parts = tape_.split(value(), {2, 4});
  const auto inner = tape_.split(parts[1], {1, 3});
  EXPECT_THAT(gradient({times(2, inner[1], tape_), times(7, parts[0], tape_)}),
              ElementsAre(7, 7, 0, 2, 2, 2, 7, 7, 0, 2, 2, 2));
}

TEST_F(Split, SplitsWhatIsWatched) {
  const auto parts = tape_.split(x_, {2, 4});
  EXPECT_THAT(gradient({times(2, parts[0], tape_)}),
              ElementsAre(2, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0));
}

TEST_F(Split, OfAConstantRecordsNothing) {
  const auto parts = tape_.split(Tensor::full({2, 3}, 1, DType::kF64), {1, 2});
  EXPECT_EQ(parts[1].node, kConstant);
  EXPECT_EQ(tape_.size(), 0u);
}

TEST_F(Split, ForbidsUsingTheWholeLater) {
  const Tensor y = value();
  tape_.split(y, {2, 4});
  EXPECT_THAT([&] { times(2, y, tape_); },
              ThrowsMessage<Error>("tape: a split tensor is used again; expected only its parts"));
}

TEST_F(Split, ForbidsSplittingTwice) {
  const Tensor y = value();
  tape_.split(y, {2, 4});
  EXPECT_THROW(tape_.split(y, {3, 3}), Error);
}

TEST_F(Split, RefusesWidthsThatDoNotFit) {
  const Tensor y = value();
  EXPECT_THAT(
      [&] {
        tape_.split(y, {2, 3});
      },
      ThrowsMessage<ShapeError>("split: widths sum to 5; expected 6"));
  EXPECT_THROW(tape_.split(y, {2, 5}), ShapeError);
  EXPECT_THROW(tape_.split(y, {-1, 7}), ShapeError);
}

TEST_F(Split, RefusesAParameter) {
  Tensor parameter = Tensor::zeros({2, 6}, DType::kF64);
  parameter.node = kParameter;
  EXPECT_THAT(
      [&] {
        tape_.split(parameter, {2, 4});
      },
      ThrowsMessage<Error>(HasSubstr("split: a parameter; expected a value")));
}

}  // namespace
}  // namespace weft::autograd
