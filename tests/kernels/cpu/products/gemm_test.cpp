#include "weft/kernels/gemm.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/kernels/buffer.h"
#include "tests/kernels/compare.h"
#include "tests/support/kept_threads.h"
#include "weft/core/error.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/cpu/products/gemm_part.h"
#include "weft/kernels/elementwise.h"

namespace weft::kernels::cpu {
namespace {

using F32 = test::Buffer<float>;

TEST(CpuGemm, RoundsRowsUpByAtMostAThirtySecondOrToEight) {
  EXPECT_EQ(padded_rows(1), 8);
  EXPECT_EQ(padded_rows(8), 8);
  EXPECT_EQ(padded_rows(250), 256);
  EXPECT_EQ(padded_rows(300), 304);
  EXPECT_EQ(padded_rows(4096), 4096);
  EXPECT_EQ(padded_rows(4097), 4224);
  for (int64_t m = 256; m < 10000; m += 37) {
    EXPECT_GE(padded_rows(m), m);
    EXPECT_LE(padded_rows(m), m + m / 32);
    EXPECT_EQ(padded_rows(padded_rows(m)), padded_rows(m));
  }
}

TEST(CpuGemm, WritesNoRowBeyondTheCapacity) {
  F32 a = F32::random(64, 16, 1), b = F32::random(16, 24, 2);
  for (const auto& [rows, capacity] : {std::pair{9, 9}, {9, 15}, {9, 16}, {9, 64}}) {
    F32 c(64, 24);
    View from = a, to = c;
    from.rows = to.rows = rows;
    from.row_capacity = to.row_capacity = capacity;
    run(Gemm{.a = from, .b = b, .c = to});
    for (int64_t i = capacity; i < 64; ++i) EXPECT_EQ(c.at(i, 0), 0) << i;
  }
}

TEST(CpuGemm, SumsAllRowsOfATransposedOperandWithoutSlack) {
  F32 a = F32::random(64, 16, 1), b = F32::random(64, 24, 2), c(16, 24), expected(16, 24);
  View from = a, other = b;
  from.rows = other.rows = 9;
  from.row_capacity = other.row_capacity = 9;
  run(Gemm{.a = from, .b = other, .c = c, .transpose_a = true});
  ref_backend()(Gemm{.a = from, .b = other, .c = expected, .transpose_a = true});
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = 0; j < 24; ++j) EXPECT_NEAR(c.at(i, j), expected.at(i, j), 1e-5);
  }
}

TEST(CpuGemm, IgnoresOverwritableSlack) {
  F32 a = F32::random(64, 16, 1), b = F32::random(64, 24, 2), c(16, 24), expected(16, 24);
  View from = a, other = b;
  from.rows = other.rows = 9;
  ref_backend()(Gemm{.a = from, .b = other, .c = expected, .transpose_a = true});
  from.row_capacity = other.row_capacity = 16;
  run(Gemm{.a = from, .b = other, .c = c, .transpose_a = true});
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = 0; j < 24; ++j) EXPECT_NEAR(c.at(i, j), expected.at(i, j), 1e-5);
  }
  EXPECT_NE(a.at(16, 3), 0);
}

struct SumCase {
  int64_t m, n, tokens;
  friend std::ostream& operator<<(std::ostream& out, const SumCase& c) {
    return out << c.m << "x" << c.n << " over " << c.tokens;
  }
};

class SumsOverTokens : public testing::TestWithParam<SumCase> {};

// C += A' B of BF16 where `rounds`, else of F32.
F32 sum_over_tokens(const Backend& backend, const SumCase& c, bool rounds) {
  F32 a = F32::random(c.tokens, c.m, 1), b = F32::random(c.tokens, c.n, 2);
  F32 out = F32::random(c.m, c.n, 3);
  std::vector<BF16> a16(static_cast<size_t>(c.tokens * c.m)), b16(a16.size() / c.m * c.n);
  View x = a, z = b;
  if (rounds) {
    x = {a16.data(), DType::kBF16, c.tokens, c.m, c.m};
    z = {b16.data(), DType::kBF16, c.tokens, c.n, c.n};
    ref_backend()(Copy{.x = a, .y = x});
    ref_backend()(Copy{.x = b, .y = z});
  }
  backend(Gemm{.a = x, .b = z, .c = out, .transpose_a = true, .beta = 1});
  return out;
}

TEST_P(SumsOverTokens, HaveTheSameBitsWithAnyNumberOfThreads) {
  const weft::test::KeptThreads kept;
  for (const bool rounds : {false, true}) {
    if (rounds && !cpu_backend().is_fast_in(DType::kBF16)) continue;
    set_threads(1);
    const F32 expected = sum_over_tokens(cpu_backend(), GetParam(), rounds);
    if (!rounds) {
      test::expect_close(expected, sum_over_tokens(ref_backend(), GetParam(), false), 1e-4);
    }
    for (const int threads : {2, 3, 5}) {
      set_threads(threads);
      EXPECT_TRUE(sum_over_tokens(cpu_backend(), GetParam(), rounds) == expected)
          << threads << " threads" << (rounds ? ", BF16" : "");
    }
  }
}

// Small and larger sums in parts by tokens; small ones of few tokens; parts by rows, also of rows
// with a large stride, and more parts than threads.
INSTANTIATE_TEST_SUITE_P(Cases, SumsOverTokens,
                         testing::Values(SumCase{128, 64, 2100}, SumCase{320, 128, 4200},
                                         SumCase{384, 128, 700}, SumCase{300, 500, 600},
                                         SumCase{1088, 96, 700}, SumCase{100, 1000, 520},
                                         SumCase{2100, 48, 300}));

TEST(CpuGemm, OfFewTokensHasTheBitsOfUndividedProducts) {
  if (!suits_onednn(DType::kF32)) GTEST_SKIP() << "needs oneDNN";
  constexpr int64_t kTokens = 768, kRows = 384, kCols = 128;
  for (const int64_t slack : {0, 24}) {
    F32 a = F32::random(kTokens, kRows, 1, slack), b = F32::random(kTokens, kCols, 2);
    F32 c(kRows, kCols), expected(kRows, kCols);
    run(Gemm{.a = a, .b = b, .c = c, .transpose_a = true});
    const Gemm whole{.a = a, .b = b, .c = expected, .transpose_a = true};
    for (const Range& tokens : {Range{0, 512}, Range{512, kTokens}}) {
      onednn_product(part(whole, {0, kRows}, {0, kCols}, tokens));
    }
    EXPECT_TRUE(c == expected) << "slack " << slack;
  }
}

TEST(CpuGemm, ReportsTheShapeOfARefusedLayout) {
  F32 a(4, 8), b(8, 8), c(4, 8);
  View overlapping = c;
  overlapping.stride = 5;
  try {
    run(Gemm{.a = a, .b = b, .c = overlapping});
    FAIL() << "rows that overlap were accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("rows of C [4, 8] overlap"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace weft::kernels::cpu
