#include "weft/kernels/gemm.h"

#include <gtest/gtest.h>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::expect_near;

const std::vector<double> kA{1, 2, 3, 4, 5, 6};             // [2, 3]
const std::vector<double> kATransposed{1, 4, 2, 5, 3, 6};   // [3, 2]
const std::vector<double> kB{1, 0, 2, 1, 0, -3};            // [3, 2]
const std::vector<double> kBTransposed{1, 2, 0, 0, 1, -3};  // [2, 3]
const std::vector<double> kProduct{5, -7, 14, -13};

TEST(ReferenceGemm, MultipliesInEveryTransposition) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      auto a = transpose_a ? Buffer<float>(3, 2, kATransposed) : Buffer<float>(2, 3, kA);
      auto b = transpose_b ? Buffer<float>(2, 3, kBTransposed) : Buffer<float>(3, 2, kB);
      Buffer<float> c(2, 2);
      ref_backend()(
          Gemm{.a = a, .b = b, .c = c, .transpose_a = transpose_a, .transpose_b = transpose_b});
      expect_near(c, kProduct, 0);
    }
  }
}

TEST(ReferenceGemm, AddsCAndBiasBeforeTheActivation) {
  Buffer<double> a(2, 3, kA), b(3, 2, kB), c(2, 2, {1, 1, -20, 14}), bias(1, 2, {0.5, -1});
  ref_backend()(
      Gemm{.a = a, .b = b, .c = c, .beta = 1, .bias = bias, .activation = Activation::kRelu});
  expect_near(c, {6.5, 0, 0, 0}, 0);
}

TEST(ReferenceGemm, AnEmptyInnerDimensionGivesZeros) {
  Buffer<float> a(2, 0), b(0, 2), c(2, 2, {9, 9, 9, 9});
  ref_backend()(Gemm{.a = a, .b = b, .c = c});
  expect_near(c, {0, 0, 0, 0}, 0);
}

}  // namespace
}  // namespace weft::kernels
