// Weights in blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/errors.h"
#include "tests/support/kept_threads.h"
#include "tests/support/tensors.h"
#include "weft/core/parallel.h"
#include "weft/formats/gguf_blocks.h"
#include "weft/tensor/packed_weight.h"
#include "weft/tensor/quantise.h"

namespace weft {
namespace {

using kernels::BlockType;

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

TEST(WeightInBlocks, RoundsBf16AsItsFloats) {
  const Tensor w = test::random_tensor({20, 64}, 5, DType::kF32).to(DType::kBF16);
  EXPECT_EQ(quantise_blocks(BlockType::kQ4_0, w),
            quantise_blocks(BlockType::kQ4_0, w.to(DType::kF32)));
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
