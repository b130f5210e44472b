#include "weft/tensor/quantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/tensors.h"

namespace weft {
namespace {

TEST(QuantisedRows, AreWithinHalfAStepOfTheWeights) {
  const Tensor w = test::random_tensor({40, 33}, 5, DType::kF32);
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

TEST(QuantisedBlocks, RoundBf16AsItsFloats) {
  const Tensor w = test::random_tensor({20, 64}, 5, DType::kF32).to(DType::kBF16);
  EXPECT_EQ(quantise_blocks(kernels::BlockType::kQ4_0, w),
            quantise_blocks(kernels::BlockType::kQ4_0, w.to(DType::kF32)));
}

}  // namespace
}  // namespace weft
