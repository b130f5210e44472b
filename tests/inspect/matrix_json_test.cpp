#include "weft/inspect/matrix_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/inspect/read_matrices.h"
#include "weft/core/random.h"

namespace weft::inspect {
namespace {

Tensor random_matrix(int64_t rows, int64_t cols, float low, float high, uint64_t seed) {
  RandomStream random(seed, 1);
  const Tensor out = Tensor::empty({rows, cols});
  for (float& value : out.span<float>()) {
    value = low + (high - low) * static_cast<float>(random.below(1'000'001)) / 1e6F;
  }
  return out;
}

TEST(MatrixJson, KeepsProbabilitiesTo1e4) {
  const std::vector<Tensor> heads{random_matrix(7, 5, 0, 1, 1), random_matrix(7, 5, 0, 0.01F, 2)};
  const auto json = matrices_json(heads);
  EXPECT_EQ(json["shape"], (std::vector<int64_t>{2, 7, 5}));
  const std::vector<double> values = test::read_matrices(json);
  ASSERT_EQ(values.size(), 70u);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], heads[i / 35].span<float>()[i % 35], 1e-4);
  }
}

// A step of 1e-4 would not fit into 16 bits.
TEST(MatrixJson, KeepsOtherNumbersAsWellAs16BitsDo) {
  const std::vector<Tensor> one{random_matrix(9, 9, -300, 200, 3)};
  const std::vector<double> values = test::read_matrices(matrices_json(one));
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], one[0].span<float>()[i], 500.0 / 65535);
  }
}

}  // namespace
}  // namespace weft::inspect
