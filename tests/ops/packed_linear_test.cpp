#include "weft/ops/packed_linear.h"

#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/ops/embedding.h"
#include "weft/ops/fused/embed.h"
#include "weft/ops/fused/linear.h"

namespace weft::ops {
namespace {

using weft::test::distance;
using weft::test::random_tensor;

struct Case {
  DType type;
  double tolerance;  // against the product in F32: what rounding x and W to the type costs
};

constexpr Case kCases[] = {{DType::kF32, 1e-6}, {DType::kBF16, 8e-3}, {DType::kI8, 1.6e-2}};

TEST(PackedLinear, IsTheAffineMapOfItsWeightsTakenTogether) {
  const Tensor x = random_tensor({7, 50}, 1, DType::kF32);
  const Tensor w = random_tensor({40, 50}, 2, DType::kF32);
  const Tensor bias = random_tensor({1, 40}, 3, DType::kF32);
  for (const Case& c : kCases) {
    const PackedWeight upper(w.row_range(0, 17), c.type), lower(w.row_range(17, 40), c.type);
    const kernels::Packed parts[] = {upper.view(), lower.view()};
    for (const Activation kind : {Activation::kNone, Activation::kRelu, Activation::kSilu}) {
      for (const Tensor& b : {bias, Tensor()}) {
        SCOPED_TRACE(name_of(c.type));
        const Tensor expected = linear(x, {w, b}, kind, nullptr);
        EXPECT_LT(distance(packed_linear(x, parts, b, kind), expected), c.tolerance);
      }
    }
  }
}

TEST(PackedLinear, RefusesShapesAndTypesThatDoNotFit) {
  const PackedWeight w(Tensor::zeros({6, 5}), DType::kF32);
  const kernels::Packed parts[] = {w.view()};
  const auto product = [&](const Tensor& x, const Tensor& bias) {
    return packed_linear(x, parts, bias, Activation::kNone);
  };
  EXPECT_THROW(product(Tensor::zeros({2, 4}), {}), ShapeError);
  EXPECT_THROW(product(Tensor::zeros({2, 5}, DType::kBF16), {}), ShapeError);
  EXPECT_THROW(product(Tensor::zeros({2, 5}), Tensor::zeros({1, 5})), ShapeError);
}

TEST(PackedEmbedding, IsTheEmbeddingWithItsPositions) {
  const Tensor table = random_tensor({40, 24}, 2, DType::kF32);
  const Ids ids = make_ids({3, 39, 0, 3, 17});
  const std::vector<int32_t> offsets = {0, 2, 5};
  const LayoutPtr rows = make_layout({offsets});
  for (const Case& c : kCases) {
    SCOPED_TRACE(name_of(c.type));
    const PackedWeight packed(table, c.type);
    EXPECT_LT(distance(packed_embedding(packed, ids, 3), embedding(table, ids, 3, nullptr)),
              c.tolerance);
    EXPECT_LT(distance(packed_embedding(packed, ids, 3, rows),
                       embed(table, ids, {.scale = 3, .rows = rows, .dropout = {}}, nullptr)),
              c.tolerance);
  }
  EXPECT_THROW(packed_embedding(PackedWeight(table, DType::kF32), make_ids({40}), 1), ShapeError);
}

}  // namespace
}  // namespace weft::ops
