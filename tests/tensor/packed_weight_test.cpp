#include "weft/tensor/packed_weight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/tensors.h"
#include "weft/tensor/quantise.h"

namespace weft {
namespace {

using test::random_tensor;

constexpr int64_t kRows = 5000;  // packed in several chunks

Tensor weights(int64_t rows, int64_t cols) { return random_tensor({rows, cols}, 5, DType::kF32); }

TEST(PackedWeight, HasTheValuesInItsPrecision) {
  const Tensor w = weights(kRows, 19);
  EXPECT_TRUE(test::same_bits(PackedWeight(w, DType::kF32).to_float32(), w));
  const Tensor rounded = w.to(DType::kBF16);
  EXPECT_TRUE(test::same_bits(PackedWeight(w, DType::kBF16).to_float32(), rounded.to(DType::kF32)));
  EXPECT_TRUE(
      test::same_bits(PackedWeight(rounded, DType::kBF16).to_float32(), rounded.to(DType::kF32)));
  const QuantisedRows rows = quantise_rows(w);
  EXPECT_TRUE(test::same_bits(PackedWeight(w, DType::kI8).to_float32(), dequantise_rows(rows)));
  EXPECT_TRUE(test::same_bits(PackedWeight(rows.integers, DType::kI8, rows.scales).to_float32(),
                              dequantise_rows(rows)));
  EXPECT_TRUE(test::same_bits(PackedWeight(rows.integers, DType::kF32, rows.scales).to_float32(),
                              dequantise_rows(rows)));
}

TEST(PackedWeight, SumsTheIntegersOfEveryRow) {
  const QuantisedRows rows = quantise_rows(weights(kRows, 19));
  const PackedWeight packed(rows.integers, DType::kI8, rows.scales);
  for (int64_t i = 0; i < kRows; ++i) {
    int32_t sum = 0;
    for (int64_t j = 0; j < 19; ++j) sum += rows.integers.data<int8_t>()[i * 19 + j];
    ASSERT_EQ(packed.view().sums[i], sum) << i;
    ASSERT_EQ(packed.view().scales[i], rows.scales.data<float>()[i]) << i;
  }
}

TEST(PackedWeight, GathersRows) {
  const Tensor w = weights(100, 19);
  const std::vector<int32_t> wanted = {99, 0, 3, 3, 17, 64, 16, 15, 80, 1, 2, 5, 6, 7, 8, 9, 98};
  for (const DType type : {DType::kF32, DType::kBF16, DType::kI8}) {
    const PackedWeight all(w, type), some = all.rows(wanted);
    const Tensor expected = all.to_float32(), got = some.to_float32();
    ASSERT_EQ(got.rows(), std::ssize(wanted));
    for (int64_t i = 0; i < got.rows(); ++i) {
      const int32_t row = wanted[i];
      EXPECT_TRUE(test::same_bits(got.row_range(i, i + 1), expected.row_range(row, row + 1))) << i;
      if (type != DType::kI8) continue;
      EXPECT_EQ(some.view().sums[i], all.view().sums[row]) << i;
    }
    EXPECT_THROW(all.rows(std::vector<int32_t>{100}), ShapeError);
    EXPECT_THROW(all.rows(std::vector<int32_t>{-1}), ShapeError);
  }
}

TEST(QuantisedRows, AreWithinHalfAStepOfTheWeights) {
  const Tensor w = weights(40, 33);
  const QuantisedRows rows = quantise_rows(w);
  const Tensor back = dequantise_rows(rows);
  for (int64_t i = 0; i < 40; ++i) {
    float top = 0;
    for (int64_t j = 0; j < 33; ++j) top = std::max(top, std::abs(w.data<float>()[i * 33 + j]));
    const float scale = rows.scales.data<float>()[i];
    EXPECT_FLOAT_EQ(scale, top / 127);
    for (int64_t j = 0; j < 33; ++j) {
      EXPECT_LE(std::abs(back.data<float>()[i * 33 + j] - w.data<float>()[i * 33 + j]),
                0.501f * scale);
    }
  }
}

TEST(PackedWeight, RefusesInvalidTypesAndScales) {
  const Tensor integers = Tensor::zeros({4, 3}, DType::kI8);
  EXPECT_THROW(PackedWeight(Tensor::zeros({4, 3}, DType::kF64), DType::kF32), ShapeError);
  EXPECT_THROW(PackedWeight(Tensor::zeros({4, 3}), DType::kU8), ShapeError);
  EXPECT_THROW(PackedWeight(Tensor::zeros({4, 3}), DType::kF64), ShapeError);
  EXPECT_THROW(PackedWeight(integers, DType::kI8), ShapeError);
  EXPECT_THROW(PackedWeight(integers, DType::kI8, Tensor::zeros({3})), ShapeError);
  EXPECT_THROW(dequantise_rows({integers, Tensor::zeros({4}, DType::kF64)}), ShapeError);
}

}  // namespace
}  // namespace weft
