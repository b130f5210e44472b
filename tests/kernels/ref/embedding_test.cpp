#include "weft/kernels/embedding.h"

#include <gtest/gtest.h>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::expect_near;

TEST(ReferenceEmbedding, ScalesTheRowAndAddsItsPosition) {
  Buffer<double> table(2, 4, {1, 2, 3, 4, 5, 6, 7, 8}), y(2, 4);
  const std::vector<int32_t> ids{1, 0}, position{0, 3};
  ref_backend()(
      Embedding{.table = table, .ids = ids.data(), .scale = 2, .position = nullptr, .y = y});
  expect_near(y, {10, 12, 14, 16, 2, 4, 6, 8}, 0);
  ref_backend()(Embedding{
      .table = table, .ids = ids.data(), .scale = 2, .position = position.data(), .y = y});
  expect_near(
      y, {10, 13, 14, 17, 2 + std::sin(3), 4 + std::cos(3), 6 + std::sin(0.03), 8 + std::cos(0.03)},
      1e-12);
}

TEST(ReferenceEmbedding, GradientAddsEveryOccurrence) {
  Buffer<float> d_y(3, 2, {1, 2, 3, 4, 5, 6}), d_table(2, 2, {100, 0, 0, 0});
  const std::vector<int32_t> ids{1, 0, 1};
  ref_backend()(EmbeddingBackward{.ids = ids.data(), .scale = 0.5, .d_y = d_y, .d_table = d_table});
  expect_near(d_table, {101.5, 2, 3, 4}, 0);
}

}  // namespace
}  // namespace weft::kernels
