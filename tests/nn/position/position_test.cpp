// Positions against PyTorch and Transformers (tools/golden/attention_family.py).
#include "weft/nn/position/position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/nn/family_golden.h"
#include "tests/support/rotary.h"
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

TEST(RotaryPosition, RotatesAsLlamaDoes) {
  const Json file = family_golden().at("rotary");
  const Tensor x = matrix(file.at("x"));
  const ops::RotaryParams params{test::rotary_angles(file.at("position"), 10000, x.cols() / 4), 2};
  EXPECT_LE(distance(ops::rotary(x, params, nullptr), matrix(file.at("llama"))), 1e-12);
}

TEST(RotaryPosition, RotatesByPlacesInAGridAsCrocoDoes) {
  const Json file = family_golden().at("rotary");
  auto rows = std::make_shared<ops::Layout>(*ops::make_layout({{0, 3}}));
  Context context;
  const Tensor x = matrix(file.at("x"));
  const RotaryPosition position(2, ops::rotary_frequencies(100, x.cols() / 8));
  EXPECT_THROW(position.in_attention(rows, context), ShapeError);
  rows->grid = file.at("grid").get<std::vector<int32_t>>();
  ops::RotaryParams params = *position.in_attention(rows, context).rotary;
  params.heads = 2;
  EXPECT_LE(distance(ops::rotary(x, params, nullptr), matrix(file.at("plane"))), 1e-12);
}

TEST(IndexPosition, AddsTheIndexToTheFeatureOfItsIndex) {
  Parameter table({2, 3}, Init::kZeros);
  bind({{"table", &table}}, DType::kF64);
  backend_of(table.value)(kernels::Fill{.y = table.value, .value = 0.5});
  Context context;
  const auto rows = ops::make_layout({{0, 5}});
  const Tensor x = IndexPosition(10).embed(
      {.table = table, .scale = 2, .ids = ops::make_ids({0, 1, 0, 1, 0}), .rows = rows}, context);
  const Tensor expected =
      Tensor::from(std::vector<double>{1, 1, 1, 1, 11, 1, 1, 1, 21, 31, 1, 1, 1, 41, 1}, {5, 3});
  EXPECT_EQ(distance(x, expected), 0);
}

// Rows of a picture of 2 by 2, with a row before them.
ops::LayoutPtr rows_in_a_grid() {
  auto rows = std::make_shared<ops::Layout>(*ops::make_layout({{0, 5}}));
  rows->grid = {0, 0, 0, 0, 0, 1, 1, 0, 1, 1};
  return rows;
}

TEST(Sinusoidal2dPosition, EncodesTheRowAndThenTheColumn) {
  Context context;
  const Tensor zeros = Tensor::zeros({5, 4}, DType::kF64);
  const Position position = make_position(Sinusoidal2dPositionOptions(), {.features = 4});
  const Tensor x = position.add_to(zeros, rows_in_a_grid(), {}, context);
  const double s = std::sin(1), c = std::cos(1);
  const Tensor expected = Tensor::from(
      std::vector<double>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, s, c, s, c, 0, 1, s, c, s, c}, {5, 4});
  EXPECT_LE(distance(x, expected), 1e-12);
  EXPECT_THROW(position.add_to(zeros, ops::make_layout({{0, 5}}), {}, context), ShapeError);
}

// What is added to vectors is what is added to the embeddings of tokens.
TEST(Position, AddsTheSameToVectorsAsToTokens) {
  const PositionDims dims{.features = 4, .heads = 2, .max_positions = 5};
  Parameter table({3, 4}, Init::kNormal);
  for (const char* const name : {"none", "index", "sinusoidal", "sinusoidal-2d", "learned",
                                 "rotary", "rotary-2d", "relative", "alibi"}) {
    SCOPED_TRACE(name);
    PositionKinds kinds;
    ASSERT_TRUE(kinds.selection().select(name));
    Position position = make_position(kinds, dims);
    ParameterCollector collector;
    collector("table", table);
    collector("position", position);
    nn::bind(collector.found);
    initialise(collector.found, 1);
    const ops::Ids ids = ops::make_ids({2, 0, 1, 1, 0});
    const ops::LayoutPtr rows = rows_in_a_grid();
    const Dropout dropout{0.3, 4};
    Context context{.training = true, .key = {1, 2}};
    const Tensor tokens = position.embed(
        {.table = table, .scale = 2, .ids = ids, .rows = rows, .dropout = dropout}, context);
    const Tensor vectors =
        position.add_to(ops::embedding(table, ids, 2, nullptr), rows, dropout, context);
    EXPECT_LE(distance(tokens.to(DType::kF64), vectors.to(DType::kF64)), 1e-6);
  }
}

TEST(Attention, WithGroupedHeadsAWindowAndSlopesIsThatOfPyTorch) {
  const Json file = family_golden().at("attention");
  autograd::Tape tape;
  const Tensor q = tape.watch(matrix(file.at("q"))), k = tape.watch(matrix(file.at("k"))),
               v = tape.watch(matrix(file.at("v")));
  ops::AttentionParams params;
  params.queries = params.keys = ops::make_layout({{0, 7}});
  params.heads = file.at("heads");
  params.key_heads = file.at("key_heads");
  params.scale = 1 / std::sqrt(3);
  params.causal = true;
  params.pattern.window = file.at("window");
  params.bias.slopes = std::make_shared<std::vector<float>>(file.at("slopes"));
  const Tensor out = ops::attention(q, k, v, params, &tape);
  EXPECT_LE(distance(out, matrix(file.at("out"))), 1e-12);
  autograd::Gradients gradients;
  tape.backward(out, matrix(file.at("d_out")), gradients);
  EXPECT_LE(distance(gradients.of(q), matrix(file.at("d_q"))), 1e-12);
  EXPECT_LE(distance(gradients.of(k), matrix(file.at("d_k"))), 1e-12);
  EXPECT_LE(distance(gradients.of(v), matrix(file.at("d_v"))), 1e-12);
}

}  // namespace
}  // namespace weft::nn
