#include "weft/ops/fused/attention.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::ops {
namespace {

using weft::test::random_tensor;
using weft::test::same_bits;

LayoutPtr segments(const std::vector<int32_t>& offsets) { return make_layout({offsets}); }

// Two sequences of 40 and 30 rows in F32, some of them away from their indices.
TEST(Attention, HasTheSameBitsWherePositionsAreReadByNothing) {
  const AttentionParams plain{segments({0, 40, 70}), segments({0, 40, 70}), 2, 0.7, false, {}};
  auto moved = std::make_shared<Layout>(*plain.queries);
  for (int32_t& position : moved->position) position = 3 * position + 1;
  AttentionParams apart = plain;
  apart.queries = apart.keys = moved;
  const auto random = [](uint64_t stream) { return random_tensor({70, 32}, stream, DType::kF32); };
  const Tensor q = random(1), k = random(2), v = random(3);
  EXPECT_TRUE(same_bits(attention(q, k, v, apart, nullptr), attention(q, k, v, plain, nullptr)));
}

TEST(Attention, GivesASequenceTheSameBitsWhateverItsBatchMates) {
  const Tensor x = random_tensor({70, 24}, 1, DType::kF32);
  const auto attend = [&](const Tensor& rows, const std::vector<int32_t>& offsets) {
    return attention(rows, rows, rows, {segments(offsets), segments(offsets), 3, 0.35, true, {}},
                     nullptr);
  };
  const Tensor together = attend(x, {0, 30, 31, 31, 70});
  EXPECT_TRUE(same_bits(together.row_range(0, 30), attend(x.row_range(0, 30), {0, 30})));
  EXPECT_TRUE(same_bits(together.row_range(30, 31), attend(x.row_range(30, 31), {0, 1})));
  EXPECT_TRUE(same_bits(together.row_range(31, 70), attend(x.row_range(31, 70), {0, 39})));
}

// What stands in rows that a row may not see changes no bit of it.
TEST(Attention, ThatIsCausalIsBlindToTheFuture) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    const AttentionParams params{segments({0, 40}), segments({0, 40}), 2, 0.5, true, {}};
    const Tensor x = random_tensor({40, 8}, 1, type), changed = x.clone();
    backend_of(x)(kernels::Fill{.y = changed.row_range(25, 40), .value = 1e4});
    EXPECT_TRUE(same_bits(attention(x, x, x, params, nullptr).row_range(0, 25),
                          attention(changed, changed, changed, params, nullptr).row_range(0, 25)));
  }
}

TEST(Attention, KeepsANaNInItsSequence) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    const AttentionParams params{
        segments({0, 13, 27, 40}), segments({0, 13, 27, 40}), 2, 0.5, false, {}};
    const Tensor x = random_tensor({40, 8}, 1, type), changed = x.clone();
    backend_of(x)(kernels::Fill{.y = changed.row_range(13, 27),
                                .value = std::numeric_limits<double>::quiet_NaN()});
    const Tensor y = attention(x, x, x, params, nullptr);
    const Tensor z = attention(changed, changed, changed, params, nullptr);
    EXPECT_TRUE(same_bits(y.row_range(0, 13), z.row_range(0, 13)));
    EXPECT_TRUE(same_bits(y.row_range(27, 40), z.row_range(27, 40)));
  }
}

}  // namespace
}  // namespace weft::ops
