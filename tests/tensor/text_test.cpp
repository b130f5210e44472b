#include <gtest/gtest.h>

#include <numeric>

#include "weft/tensor/tensor.h"

namespace weft {
namespace {

Tensor counted_from_one(Shape shape) {
  std::vector<float> numbers(static_cast<size_t>(shape.size()));
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return Tensor::from(numbers, shape);
}

TEST(TensorText, ShowsEveryElementOfASmallOne) {
  EXPECT_EQ(to_text(counted_from_one({2, 3})), "Tensor [2, 3] F32\n[[1, 2, 3],\n [4, 5, 6]]");
  EXPECT_EQ(to_text(counted_from_one({3})), "Tensor [3] F32\n[[1, 2, 3]]");
}

TEST(TensorText, ShortensLongRowsAndColumns) {
  EXPECT_EQ(to_text(counted_from_one({3, 7})),
            "Tensor [3, 7] F32\n"
            "[[1, 2, 3, ..., 5, 6, 7],\n"
            " [8, 9, 10, ..., 12, 13, 14],\n"
            " [15, 16, 17, ..., 19, 20, 21]]");
  EXPECT_EQ(to_text(counted_from_one({4, 2}), 1), "Tensor [4, 2] F32\n[[1, 2],\n ...,\n [7, 8]]");
  EXPECT_EQ(to_text(counted_from_one({3, 1}), 0), "Tensor [3, 1] F32\n[[1],\n ...,\n [3]]");
  EXPECT_EQ(to_text(counted_from_one({1, 6})), "Tensor [1, 6] F32\n[[1, 2, 3, 4, 5, 6]]");
}

TEST(TensorText, ShowsFiveDigits) {
  EXPECT_EQ(to_text(Tensor::from(std::vector<double>{1.0 / 3, -1e-7, 123456}, {1, 3})),
            "Tensor [1, 3] F64\n[[0.33333, -1e-07, 1.2346e+05]]");
}

TEST(TensorText, ShowsEveryType) {
  EXPECT_EQ(to_text(Tensor::full({1, 2}, -1.5).to(DType::kBF16)),
            "Tensor [1, 2] BF16\n[[-1.5, -1.5]]");
  EXPECT_EQ(to_text(Tensor::from(std::vector<int32_t>{-7, 8}, {2, 1})),
            "Tensor [2, 1] I32\n[[-7],\n [8]]");
  EXPECT_EQ(to_text(Tensor::from(std::vector<int8_t>{-128}, {1})), "Tensor [1] I8\n[[-128]]");
  EXPECT_EQ(to_text(Tensor::from(std::vector<uint8_t>{255}, {1})), "Tensor [1] U8\n[[255]]");
}

TEST(TensorText, ShowsStridedViews) {
  EXPECT_EQ(to_text(counted_from_one({3, 4}).row_range(1, 3).col_range(1, 3)),
            "Tensor [2, 2] F32\n[[6, 7],\n [10, 11]]");
}

TEST(TensorText, ShowsTensorsWithoutElements) {
  EXPECT_EQ(to_text(Tensor()), "Tensor, empty");
  EXPECT_EQ(to_text(Tensor::zeros({0, 3})), "Tensor [0, 3] F32\n[]");
  EXPECT_EQ(to_text(Tensor::zeros({1, 0})), "Tensor [1, 0] F32\n[[]]");
}

}  // namespace
}  // namespace weft
