#include "weft/tensor/packed_weight.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/kept_threads.h"
#include "tests/support/tensors.h"
#include "weft/core/parallel.h"
#include "weft/formats/gguf_blocks.h"
#include "weft/tensor/quantise.h"

namespace weft {
namespace {

using kernels::BlockType;
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

TEST(PackedWeight, RefusesInvalidTypesAndScales) {
  const Tensor integers = Tensor::zeros({4, 3}, DType::kI8);
  EXPECT_THROW(PackedWeight(Tensor::zeros({4, 3}, DType::kF64), DType::kF32), ShapeError);
  EXPECT_THROW(PackedWeight(Tensor::zeros({4, 3}), DType::kU8), ShapeError);
  EXPECT_THROW(PackedWeight(Tensor::zeros({4, 3}), DType::kF64), ShapeError);
  EXPECT_THROW(PackedWeight(integers, DType::kI8), ShapeError);
  EXPECT_THROW(PackedWeight(integers, DType::kI8, Tensor::zeros({3})), ShapeError);
  EXPECT_THROW(dequantise_rows({integers, Tensor::zeros({4}, DType::kF64)}), ShapeError);
}

Tensor numbers_of(BlockType type, const Shape& shape, std::string_view blocks) {
  Tensor out = Tensor::empty(shape);
  formats::dequantise(*formats::gguf_type(static_cast<uint32_t>(type)), blocks, out.span<float>());
  return out;
}

TEST(WeightInBlocks, HoldsTheNumbersOfAFile) {
  const Shape shape{37, 256};
  for (const BlockType type : {BlockType::kQ4_K, BlockType::kQ8_0, BlockType::kQ6_K}) {
    std::string blocks(static_cast<size_t>(37 * kernels::block_row_bytes(type, 256)), '\0');
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<char>(i * 37 % 59);
    const PackedWeight weight(type, shape, blocks);
    EXPECT_EQ(weight.shape(), shape);
    EXPECT_EQ(weight.type(), kernels::PackedType(type));
    EXPECT_TRUE(test::same_bits(weight.to_float32(), numbers_of(type, shape, blocks)));
  }
}

TEST(WeightInBlocks, RoundsWeights) {
  const Tensor w = test::random_tensor({5000, 64}, 5, DType::kF32);  // several steps
  for (const BlockType type : {BlockType::kQ4_0, BlockType::kQ8_0}) {
    const std::string blocks = quantise_blocks(type, w);
    const Tensor expected = numbers_of(type, w.shape(), blocks);
    EXPECT_TRUE(test::same_bits(PackedWeight(w, type).to_float32(), expected));
    const double most = type == BlockType::kQ4_0 ? 0.15 : 0.006;
    for (int64_t i = 0; i < w.size(); ++i) {
      ASSERT_NEAR(expected.data<float>()[i], w.data<float>()[i], most) << i;
    }
  }
}

TEST(WeightInBlocks, GathersRows) {
  const std::vector<int32_t> wanted = {36, 0, 3, 3, 17, 16, 15, 1, 2, 5, 6, 7, 8, 9, 10, 35, 20};
  for (const BlockType type : {BlockType::kQ4_1, BlockType::kQ5_K, BlockType::kQ6_K}) {
    std::string blocks(static_cast<size_t>(37 * kernels::block_row_bytes(type, 512)), '\0');
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<char>(i * 37 % 59);
    const PackedWeight weight(type, Shape{37, 512}, blocks);
    const PackedWeight rows = weight.rows(wanted);
    EXPECT_EQ(rows.shape(), (Shape{17, 512}));
    const Tensor all = weight.to_float32(), got = rows.to_float32();
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      EXPECT_TRUE(test::same_bits(got.row_range(at, at + 1).clone(),
                                  all.row_range(wanted[i], wanted[i] + 1).clone()))
          << i;
    }
    EXPECT_THROW(weight.rows(std::vector<int32_t>{37}), ShapeError);
    EXPECT_THROW(weight.rows(std::vector<int32_t>{-1}), ShapeError);
  }
}

TEST(WeightInBlocks, IsTheSameForEveryNumberOfThreads) {
  const weft::test::KeptThreads kept;
  const Tensor w = test::random_tensor({3000, 64}, 5, DType::kF32);
  set_threads(1);
  const PackedWeight one(w, BlockType::kQ4_0);
  set_threads(2);
  const PackedWeight two(w, BlockType::kQ4_0);
  const auto* first = static_cast<const std::byte*>(one.view().panels);
  EXPECT_TRUE(
      std::equal(first, first + one.bytes(), static_cast<const std::byte*>(two.view().panels)));
}

TEST(WeightInBlocks, SharesMemoryWithItsCopies) {
  const PackedWeight weight(test::random_tensor({3, 32}, 5, DType::kF32), BlockType::kQ8_0);
  const PackedWeight copy = weight;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.view().panels, weight.view().panels);
  EXPECT_FALSE(PackedWeight());
}

TEST(WeightInBlocks, NamesWhatIsWrong) {
  const Tensor w = test::random_tensor({3, 32}, 5, DType::kF32);
  EXPECT_EQ(test::message_of<ShapeError>([&] { PackedWeight(w, BlockType::kQ4_K); }),
            "quantised blocks: cannot round to Q4_K; expected Q8_0 or Q4_0");
  const Tensor wide = Tensor::zeros({3, 32}, DType::kF64);
  EXPECT_EQ(test::message_of<ShapeError>([&] { PackedWeight(wide, BlockType::kQ8_0); }),
            "packed weight: expected F32, BF16 or I8, got F64 for Q8_0");
  const std::string blocks(101, '\0');
  EXPECT_EQ(test::message_of<ShapeError>([&] {
              PackedWeight(BlockType::kQ8_0, Shape{3, 32}, blocks);
            }),
            "packed weight: 101 bytes of Q8_0 are not those of [3, 32]; expected 102");
}

}  // namespace
}  // namespace weft
