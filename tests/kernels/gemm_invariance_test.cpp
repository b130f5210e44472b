// Batch invariance of products: a row of C has the same bits for every number of rows and threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/kernels/buffer.h"
#include "tests/kernels/targets.h"
#include "tests/support/kept_threads.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/gemm.h"

namespace weft::kernels {
namespace {

using F32 = test::Buffer<float>;

struct ProductCase {
  int64_t n, k;
  bool transpose_b, fused;  // fused: with bias and relu
  friend std::ostream& operator<<(std::ostream& out, const ProductCase& c) {
    return out << c.n << "x" << c.k << (c.transpose_b ? "T" : "") << (c.fused ? " fused" : "");
  }
};

constexpr ProductCase kProducts[] = {
    {384, 128, true, false}, {128, 128, true, true},   {256, 128, true, true},
    {128, 256, true, false}, {128, 384, false, false}, {10000, 128, true, true},
    {512, 512, false, true}, {37, 50, true, true},
};

class GemmInvariance : public testing::TestWithParam<ProductCase> {
 protected:
  static constexpr int64_t kMaxRows = 512;

  // The first m rows of the product; `capacity` rows of memory may be accessed.
  void multiply(int64_t m, int64_t capacity, F32& c) {
    const ProductCase& p = GetParam();
    View a = a_, out = c;
    a.rows = out.rows = m;
    a.row_capacity = out.row_capacity = capacity;
    cpu_backend()(Gemm{.a = a,
                       .b = b_,
                       .c = out,
                       .transpose_b = p.transpose_b,
                       .bias = p.fused ? bias_.view() : View{},
                       .activation = p.fused ? Activation::kRelu : Activation::kNone});
  }

  struct RowCounts {
    std::vector<int64_t> one_thread, two_threads;
  };

  // The first rows have the same bits as among `most` rows on one thread.
  void expect_same_bits(int64_t most, const RowCounts& counts) {
    const int64_t n = GetParam().n;
    F32 whole(kMaxRows, n), part(kMaxRows, n);
    set_threads(1);
    multiply(most, most, whole);
    const auto expect_same = [&](int64_t m, int64_t capacity) {
      multiply(m, capacity, part);
      for (int64_t i = 0; i < m; ++i) {
        ASSERT_EQ(std::memcmp(whole.row(i), part.row(i), n * sizeof(float)), 0)
            << "row " << i << " of " << m << ", " << threads() << " threads";
      }
    };
    for (const int64_t m : counts.one_thread) {
      expect_same(m, m);
      expect_same(m, kMaxRows);
    }
    set_threads(2);
    for (const int64_t m : counts.two_threads) expect_same(m, m);
  }

  weft::test::KeptThreads kept_;
  F32 a_ = F32::random(kMaxRows, GetParam().k, 1);
  F32 b_ = GetParam().transpose_b ? F32::random(GetParam().n, GetParam().k, 2)
                                  : F32::random(GetParam().k, GetParam().n, 2);
  F32 bias_ = F32::random(1, GetParam().n, 3);
};

TEST_P(GemmInvariance, ARowHasTheSameBitsAtEveryRowCount) {
  std::vector<int64_t> counts(70);
  std::iota(counts.begin(), counts.end(), 1);
  counts.insert(counts.end(), {127, 511});
  expect_same_bits(kMaxRows,
                   {.one_thread = counts, .two_threads = {1, 2, 7, 8, 9, 33, 64, 127, 511, 512}});
}

TEST_P(GemmInvariance, ARowHasTheSameBitsOnEveryInstructionSet) {
  test::for_each_target([&] {
    expect_same_bits(70, {.one_thread = {1, 6}, .two_threads = {2, 33, 70}});
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, GemmInvariance, testing::ValuesIn(kProducts));

// oneDNN keeps primitives for the whole process, and those of a single row serve every stride.
TEST(GemmOfARow, HasTheSameBitsAfterAProductWithOtherStrides) {
  constexpr int64_t kRows = 8, kN = 136, kK = 72;  // a shape of no other test
  F32 a = F32::random(kRows, kK, 1), c(kRows, kN), b = F32::random(kN, kK, 2);
  F32 strided_a(1, kK, 8), strided_c(1, kN, 8), row_a(1, kK), row_c(1, kN);
  std::copy_n(a.row(0), kK, strided_a.row(0));
  std::copy_n(a.row(0), kK, row_a.row(0));
  const auto multiply = [&](F32& x, F32& y) {
    cpu_backend()(Gemm{.a = x, .b = b, .c = y, .transpose_b = true});
    return std::vector<float>(y.row(0), y.row(0) + kN);
  };
  const std::vector<float> strided = multiply(strided_a, strided_c), among = multiply(a, c);
  EXPECT_EQ(multiply(row_a, row_c), among);
  EXPECT_EQ(strided, among);
}

}  // namespace
}  // namespace weft::kernels
