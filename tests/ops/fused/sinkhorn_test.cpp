#include "weft/ops/fused/sinkhorn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/core/error.h"

namespace weft::ops {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Sinkhorn, MakesSumsOfRowsAndColumnsOne) {
  const Tensor y = sinkhorn(weft::test::random_tensor({5, 5}, 1), 30, nullptr);
  for (int64_t i = 0; i < 5; ++i) {
    double row = 0, column = 0;
    for (int64_t j = 0; j < 5; ++j) {
      row += y.data<double>()[i * 5 + j];
      column += y.data<double>()[j * 5 + i];
    }
    EXPECT_NEAR(row, 1, 1e-9);
    EXPECT_NEAR(column, 1, 1e-12);
  }
}

TEST(Sinkhorn, KeepsWhatRowsAndColumnsSay) {
  // 8 in the rows of a permutation, 0 elsewhere.
  const Tensor x = Tensor::zeros({3, 3}, DType::kF64);
  for (const int at : {1, 5, 6}) x.data<double>()[at] = 8;
  const Tensor y = sinkhorn(x, 5, nullptr);
  for (int at = 0; at < 9; ++at) {
    EXPECT_NEAR(y.data<double>()[at], at == 1 || at == 5 || at == 6 ? 1 : 0, 1e-3);
  }
}

TEST(Sinkhorn, SurvivesLargeValues) {
  const Tensor x = Tensor::zeros({2, 2}, DType::kF32);
  x.data<float>()[0] = 300;
  x.data<float>()[3] = -300;
  const Tensor y = sinkhorn(x, 3, nullptr);
  // exp(x) as [e^300, 1; 1, e^-300], which is of rank one: all become 1/2.
  for (int at = 0; at < 4; ++at) EXPECT_NEAR(y.data<float>()[at], 0.5, 1e-4);
}

TEST(Sinkhorn, RefusesWhatIsNotSquareAndNoStep) {
  EXPECT_THAT(
      [] {
        sinkhorn(Tensor::zeros({5, 2}), 1, nullptr);
      },
      ThrowsMessage<ShapeError>(HasSubstr("sinkhorn: expected square matrices below each "
                                          "other, got [5, 2]")));
  EXPECT_THAT(
      [] {
        sinkhorn(Tensor::zeros({2, 2}), 0, nullptr);
      },
      ThrowsMessage<ShapeError>(HasSubstr("sinkhorn: expected a step at least, got 0")));
}

}  // namespace
}  // namespace weft::ops
