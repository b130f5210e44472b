#include "weft/kernels/cpu/gemm.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/kernels/buffer.h"
#include "weft/core/error.h"

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

TEST(CpuGemm, TouchesNoRowBeyondTheCapacity) {
  F32 a = F32::random(64, 16, 1), b = F32::random(16, 24, 2);
  for (const auto& [rows, capacity] : {std::pair{9, 9}, {9, 15}, {9, 16}, {9, 64}}) {
    F32 c(64, 24);
    View from = a, to = c;
    from.rows = to.rows = rows;
    from.row_capacity = to.row_capacity = capacity;
    gemm({.a = from, .b = b, .c = to});
    for (int64_t i = capacity; i < 64; ++i) EXPECT_EQ(c.at(i, 0), 0) << i;
  }
}

TEST(CpuGemm, AddsUpEveryRowOfATransposedOperandAndNoSlack) {
  F32 a = F32::random(64, 16, 1), b = F32::random(64, 24, 2), c(16, 24), expected(16, 24);
  View from = a, other = b;
  from.rows = other.rows = 9;
  from.row_capacity = other.row_capacity = 9;
  gemm({.a = from, .b = other, .c = c, .transpose_a = true});
  ref_backend().gemm({.a = from, .b = other, .c = expected, .transpose_a = true});
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = 0; j < 24; ++j) EXPECT_NEAR(c.at(i, j), expected.at(i, j), 1e-5);
  }
}

TEST(CpuGemm, AddsUpNoSlackThatItMayOverwrite) {
  F32 a = F32::random(64, 16, 1), b = F32::random(64, 24, 2), c(16, 24), expected(16, 24);
  View from = a, other = b;
  from.rows = other.rows = 9;
  ref_backend().gemm({.a = from, .b = other, .c = expected, .transpose_a = true});
  from.row_capacity = other.row_capacity = 16;
  gemm({.a = from, .b = other, .c = c, .transpose_a = true});
  for (int64_t i = 0; i < 16; ++i) {
    for (int64_t j = 0; j < 24; ++j) EXPECT_NEAR(c.at(i, j), expected.at(i, j), 1e-5);
  }
  EXPECT_NE(a.at(16, 3), 0);
}

TEST(CpuGemm, NamesTheShapeOfARefusedLayout) {
  F32 a(4, 8), b(8, 8), c(4, 8);
  View overlapping = c;
  overlapping.stride = 5;
  try {
    gemm({.a = a, .b = b, .c = overlapping});
    FAIL() << "rows that overlap were accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("rows of C [4, 8] overlap"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace weft::kernels::cpu
