// Positions against PyTorch and Transformers (tools/golden/attention_family.py).
#include "weft/nn/position/position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nn/family_golden.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

using test::distance;
using test::family_golden;
using test::Json;
using test::matrix;

TEST(RelativePosition, HasTheBucketsOfT5) {
  const Json file = family_golden();
  for (size_t i = 0; i < file.at("distances").size(); ++i) {
    const int64_t at = file.at("distances")[i];
    EXPECT_EQ(relative_bucket(at, 32, 128, false), file.at("buckets").at("both")[i]) << at;
    EXPECT_EQ(relative_bucket(at, 32, 128, true), file.at("buckets").at("before")[i]) << at;
  }
}

TEST(AlibiPosition, HasTheSlopesOfBloom) {
  const Json file = family_golden();
  for (const auto& [heads, slopes] : file.at("slopes").items()) {
    EXPECT_THAT(*AlibiPosition(std::stoll(heads)).slopes,
                testing::Pointwise(testing::FloatEq(), slopes.get<std::vector<float>>()));
  }
}

TEST(RotaryPosition, TurnsAsLlamaDoes) {
  const Json file = family_golden().at("rotary");
  const ops::RotaryRule rule{ops::make_ids(file.at("position")), 1, 2, 10000};
  EXPECT_LE(distance(ops::rotary(matrix(file.at("x")), rule, nullptr), matrix(file.at("llama"))),
            1e-12);
}

TEST(RotaryPosition, TurnsByPlacesInAGridAsCrocoDoes) {
  const Json file = family_golden().at("rotary");
  auto rows = std::make_shared<ops::Rows>(*ops::make_rows({{0, 3}}));
  Context context;
  const RotaryPosition position(2, 100);
  EXPECT_THROW(position.in_attention(rows, context), ShapeError);
  rows->grid = file.at("grid").get<std::vector<int32_t>>();
  ops::RotaryRule rule = *position.in_attention(rows, context).rotary;
  rule.heads = 2;
  EXPECT_LE(distance(ops::rotary(matrix(file.at("x")), rule, nullptr), matrix(file.at("plane"))),
            1e-12);
}

TEST(IndexPosition, AddsTheIndexToTheFeatureOfItsIndex) {
  Parameter table({2, 3}, Init::kZeros);
  bind({{"table", &table}}, DType::kF64);
  backend_of(table.value)(kernels::Fill{.y = table.value, .value = 0.5});
  Context context;
  const auto rows = ops::make_rows({{0, 5}});
  const Tensor x = IndexPosition(10).embed(
      {.table = table, .scale = 2, .ids = ops::make_ids({0, 1, 0, 1, 0}), .rows = rows}, context);
  const Tensor expected =
      Tensor::from(std::vector<double>{1, 1, 1, 1, 11, 1, 1, 1, 21, 31, 1, 1, 1, 41, 1}, {5, 3});
  EXPECT_EQ(distance(x, expected), 0);
}

TEST(Attention, WithGroupedHeadsAWindowAndSlopesIsThatOfPyTorch) {
  const Json file = family_golden().at("attention");
  autograd::Tape tape;
  const Tensor q = tape.watch(matrix(file.at("q"))), k = tape.watch(matrix(file.at("k"))),
               v = tape.watch(matrix(file.at("v")));
  ops::AttentionRule rule;
  rule.queries = rule.keys = ops::make_rows({{0, 7}});
  rule.heads = file.at("heads");
  rule.key_heads = file.at("key_heads");
  rule.scale = 1 / std::sqrt(3);
  rule.causal = true;
  rule.pattern.window = file.at("window");
  rule.bias.slopes = std::make_shared<std::vector<float>>(file.at("slopes"));
  const Tensor out = ops::attention(q, k, v, rule, &tape);
  EXPECT_LE(distance(out, matrix(file.at("out"))), 1e-12);
  autograd::Gradients gradients;
  tape.backward(out, matrix(file.at("d_out")), gradients);
  EXPECT_LE(distance(gradients.of(q), matrix(file.at("d_q"))), 1e-12);
  EXPECT_LE(distance(gradients.of(k), matrix(file.at("d_k"))), 1e-12);
  EXPECT_LE(distance(gradients.of(v), matrix(file.at("d_v"))), 1e-12);
}

}  // namespace
}  // namespace weft::nn
