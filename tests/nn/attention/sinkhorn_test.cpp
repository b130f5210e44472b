#include "weft/nn/attention/sinkhorn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/nn/attention/multi_head.h"

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Sinkhorn, MakesSumsOfRowsAndColumnsOne) {
  const Tensor y = sinkhorn(test::random_tensor({5, 5}, 1), 30, nullptr);
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

struct Layer {
  MultiHeadAttention attention;

  Layer(AttentionKind kind, double spread) {
    AttentionOptions o{.features = 6, .heads = 2, .key_size = 3, .value_size = 4};
    o.kind = std::move(kind);
    attention = MultiHeadAttention(o);
    const Tensor flat = nn::bind(parameters_of(attention), DType::kF64);
    RandomStream random(4, 2);
    for (double& x : flat.span<double>()) x = spread * random.normal();
  }
  Tensor operator()(const Tensor& x, const std::vector<int32_t>& offsets, bool causal) const {
    Context context;
    return attention.self(x, {ops::make_rows(offsets), {}, causal}, context);
  }
};

Tensor rows(int64_t count) { return test::random_tensor({count, 6}, 8); }

TEST(SinkhornAttention, IsFullInASentenceOfOneBlock) {
  const Layer sorted(SinkhornAttention{.block = 4}, 1), full(AttentionKind(), 1);
  const Tensor x = rows(7);
  EXPECT_LT(test::distance(sorted(x, {0, 4, 7}, false), full(x, {0, 4, 7}, false)), 1e-12);
}

TEST(SinkhornAttention, DoesNotDependOnOtherSentences) {
  const Layer layer(SinkhornAttention{.block = 2}, 1);
  const Tensor x = rows(12), together = layer(x, {0, 5, 6, 12}, false);
  EXPECT_TRUE(test::same_bits(layer(x.row_range(5, 6), {0, 1}, false), together.row_range(5, 6)));
  EXPECT_LT(test::distance(layer(x.row_range(6, 12), {0, 6}, false), together.row_range(6, 12)),
            1e-14);
}

// Where all blocks are alike to one another, the block beside is the mean of all.
TEST(SinkhornAttention, MixesBlocksEvenlyWhereNothingTellsThemApart) {
  const Layer layer(SinkhornAttention{.block = 2}, 1);
  const Tensor zero = Tensor::zeros(layer.attention.q_weight.value.shape(), DType::kF64);
  backend_of(zero).copy(zero, layer.attention.q_weight.value);
  backend_of(zero).fill(layer.attention.q_bias.value, 0);
  const Tensor x = rows(4);
  // All scores are 0: each row's result is the mean of its block's two values and of the two means.
  const auto none = ops::Activation::kNone;
  const Tensor v = linear(x, {&layer.attention.v_weight}, {&layer.attention.v_bias}, none, nullptr);
  const Tensor heads = Tensor::zeros({4, 8}, DType::kF64);
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t f = 0; f < 8; ++f) {
      const double* at = v.data<double>() + f;
      const double own = at[i / 2 * 16] + at[i / 2 * 16 + 8];
      heads.data<double>()[i * 8 + f] = (own + (at[0] + at[8] + at[16] + at[24]) / 2) / 4;
    }
  }
  EXPECT_LT(test::distance(layer(x, {0, 4}, false), layer.attention.out_proj(heads, nullptr)),
            1e-12);
}

TEST(SinkhornAttention, RefusesCausalRows) {
  const Layer layer(SinkhornAttention{.block = 2}, 1);
  EXPECT_THAT(
      [&] {
        layer(rows(3), {0, 3}, true);
      },
      ThrowsMessage<ShapeError>(HasSubstr("sinkhorn: sorts by means of whole blocks")));
}

}  // namespace
}  // namespace weft::nn
