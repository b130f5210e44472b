#include "weft/autograd/gradient_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::autograd {
namespace {

using test::random_tensor;
using test::values;
using testing::HasSubstr;

// y = x^2, whose backward gives factor * x * d_y.
CheckedFunction square(double factor) {
  return [factor](const std::vector<Tensor>& in, Tape* tape) {
    const Tensor x = in[0];
    Tensor y = Tensor::empty(x.shape(), x.dtype());
    backend_of(x)(kernels::Multiply{.x = x, .z = x, .y = y});
    record(tape, y, {&x}, [x, factor](Backward& b) {
      b.write(0, [&](const Tensor& d_x) {
        backend_of(x)(kernels::Multiply{.x = x, .z = b.d_output(), .y = d_x});
        backend_of(x)(kernels::Scale{.alpha = factor, .x = d_x, .y = d_x});
      });
    });
    return y;
  };
}

TEST(GradientCheck, PassesTheRightBackward) {
  const GradientCheck check = check_gradients(square(2), {random_tensor({3, 4}, 0)});
  EXPECT_TRUE(check.ok) << check.message;
  EXPECT_LT(check.worst, 1e-8);
}

TEST(GradientCheck, FailsAWrongBackward) {
  for (const double factor : {0.0, 1.0, -2.0, 2.00001, std::numeric_limits<double>::quiet_NaN()}) {
    const GradientCheck check = check_gradients(square(factor), {random_tensor({3, 4}, 0)});
    EXPECT_FALSE(check.ok) << factor;
    EXPECT_THAT(check.message, HasSubstr("input 0 element ")) << factor;
  }
}

TEST(GradientCheck, NamesTheElementThatIsFarthestOff) {
  const auto f = [](const std::vector<Tensor>& in, Tape* tape) {
    Tensor y = in[1].clone();
    const Tensor &unused = in[0], &x = in[1];
    record(tape, y, {&unused, &x}, [](Backward& b) {
      const Tensor d_x = b.d_output().clone();
      d_x.data<double>()[4] += 0.5;
      b.add(1, d_x);
    });
    return y;
  };
  const GradientCheck check =
      check_gradients(f, {random_tensor({1, 2}, 0), random_tensor({2, 3}, 1)});
  EXPECT_FALSE(check.ok);
  EXPECT_NEAR(check.worst, 0.5, 1e-6);
  EXPECT_THAT(check.message, HasSubstr("input 1 element 4: backward "));
}

TEST(GradientCheck, LeavesItsInputsAsTheyWere) {
  const Tensor x = random_tensor({2, 2}, 3);
  const std::vector<double> before = values(x);
  check_gradients(square(2), {x});
  EXPECT_EQ(values(x), before);
}

TEST(GradientCheck, AsksForDoubles) {
  EXPECT_THROW(check_gradients(square(2), {random_tensor({2, 2}, 0, DType::kF32)}), ShapeError);
}

}  // namespace
}  // namespace weft::autograd
