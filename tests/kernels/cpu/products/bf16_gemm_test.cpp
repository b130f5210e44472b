// Products of BF16 matrices with a long and with a short inner dimension, which have code of their
// own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/kernels/cases.h"
#include "tests/kernels/compare.h"
#include "tests/kernels/cpu/products/bf16_matrix.h"
#include "tests/kernels/targets.h"
#include "tests/support/kept_threads.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/gemm.h"

namespace weft::kernels {
namespace {

using test::Bf16Matrix;
using test::F32;

// Around the longest inner dimension that is not split, and in several parts.
constexpr test::GemmCase kLargeK[] = {
    {7, 2048, 24, 0}, {7, 2049, 24, 0}, {70, 5000, 33, 1}, {33, 6144, 64, 0}, {1, 4100, 5, 0},
};
// Around the longest that counts as short; with whole strips of columns and without.
constexpr test::GemmCase kSmallK[] = {
    {70, 8, 576, 0}, {100, 16, 1536, 1}, {9, 3, 50, 5}, {1, 1, 1, 0}, {40, 5, 47, 3},
};

class Bf16Gemm : public testing::TestWithParam<test::GemmCase> {
 protected:
  // A B or A B' of the first rows, added to what C holds.
  void multiply(int64_t rows, bool transpose_b, const View& c) const {
    View a = a_, out = c;
    a.rows = out.rows = rows;
    cpu_backend()(Gemm{
        .a = a, .b = transpose_b ? b_t_ : b_, .c = out, .transpose_b = transpose_b, .beta = 1});
  }

  weft::test::KeptThreads kept_;
  Bf16Matrix a_{GetParam().m, GetParam().k, 1, GetParam().slack};
  Bf16Matrix b_{GetParam().k, GetParam().n, 2, GetParam().slack};
  Bf16Matrix b_t_{GetParam().n, GetParam().k, 3, GetParam().slack};
  Bf16Matrix bias_{1, GetParam().n, 4, 0};
};

TEST_P(Bf16Gemm, AgreesWithTheReference) {
  const test::GemmCase& p = GetParam();
  for (const bool transpose_b : {false, true}) {
    for (const float beta : {0.0f, 1.0f}) {
      for (const bool fused : {false, true}) {
        SCOPED_TRACE(testing::Message() << (transpose_b ? "b', " : "b, ") << beta << fused);
        Bf16Matrix& b = transpose_b ? b_t_ : b_;
        F32 expected = F32::random(p.m, p.n, 6, p.slack);
        const F32 start = expected;
        Gemm g{.a = a_.floats(),
               .b = b.floats(),
               .c = expected,
               .transpose_b = transpose_b,
               .beta = beta};
        if (fused) g.activation = Activation::kRelu, g.bias = bias_.floats();
        ref_backend()(g);
        g.a = a_, g.b = b;
        if (fused) g.bias = bias_;
        test::for_each_target([&] {
          for (const int threads : {1, 3}) {
            set_threads(threads);
            F32 got = start;
            g.c = got;
            cpu_backend()(g);
            test::expect_close(got, expected, 1e-4);
          }
        });
      }
    }
  }
}

TEST_P(Bf16Gemm, RoundsSumsOnce) {
  const test::GemmCase& p = GetParam();
  test::for_each_target([&] {
    Bf16Matrix rounded(p.m, p.n, 5, p.slack);
    F32 exact(p.m, p.n);
    ref_backend()(Copy{.x = rounded, .y = exact});
    multiply(p.m, true, rounded);
    multiply(p.m, true, exact);
    F32 got(p.m, p.n);
    ref_backend()(Copy{.x = rounded, .y = got});
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        const float x = exact.at(i, j);
        ASSERT_NEAR(got.at(i, j), x, std::abs(x) / 256 + 1e-4) << i << ", " << j;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(LargeK, Bf16Gemm, testing::ValuesIn(kLargeK));
INSTANTIATE_TEST_SUITE_P(SmallK, Bf16Gemm, testing::ValuesIn(kSmallK));

class SmallKGemm : public Bf16Gemm {};

TEST_P(SmallKGemm, ARowHasTheSameBitsAmongAnyRowsAndThreads) {
  const test::GemmCase& p = GetParam();
  test::for_each_target([&] {
    for (const bool transpose_b : {false, true}) {
      set_threads(1);
      F32 whole(p.m, p.n);
      multiply(p.m, transpose_b, whole);
      for (const int threads : {1, 3}) {
        set_threads(threads);
        for (const int64_t rows : {int64_t{1}, p.m / 2, p.m - 1, p.m}) {
          if (rows < 1) continue;
          F32 some(p.m, p.n);
          multiply(rows, transpose_b, some);
          EXPECT_EQ(std::memcmp(some.row(0), whole.row(0),
                                static_cast<size_t>(rows * p.n) * sizeof(float)),
                    0)
              << rows << " rows, " << threads << " threads" << (transpose_b ? ", b'" : ", b");
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, SmallKGemm, testing::ValuesIn(kSmallK));

}  // namespace
}  // namespace weft::kernels
