#include "weft/models/token_embedding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/differences.h"
#include "weft/nn/table.h"
#include "weft/ops/add.h"
#include "weft/ops/losses/regression.h"

namespace weft::models {
namespace {

constexpr int64_t kEmbeddedTokens = 7, kEmbeddingSize = 4;

nn::Position learned_position(int64_t rows) {
  return nn::make_position(nn::LearnedPositionOptions(),
                           {.features = kEmbeddingSize, .max_positions = rows});
}

struct Embedded {
  TokenEmbedding embedding;
  Tensor flat;

  explicit Embedded(TokenEmbeddingOptions o) {
    o.vocab = kEmbeddedTokens;
    o.features = kEmbeddingSize;
    nn::RngStreams dropouts;
    embedding = TokenEmbedding(o, dropouts);
    flat = bind_in_no_special_place(embedding);
  }
};

TokenRows two_texts() {
  return {.ids = ops::make_ids({3, 6, 0, 5, 0}), .rows = ops::make_layout({{0, 3, 5}})};
}

// table[id] sqrt(D) + position[i + offset]
Tensor plain_sum(const TokenEmbedding& e, const TokenRows& in, int32_t offset) {
  std::vector<int32_t> positions = in.rows->position;
  for (int32_t& position : positions) position += offset;
  const auto& learned = std::get<nn::LearnedPosition>(e.position.kind);
  return ops::add(nn::look_up(e.table, in.ids, 2, nullptr),
                  nn::look_up(learned.weight, ops::make_ids(positions), 1, nullptr), nullptr);
}

TEST(TokenEmbedding, CountsPositionsFromItsOffset) {
  const Embedded e({.position = learned_position(5), .position_offset = 2});
  const TokenRows in = two_texts();
  EXPECT_LT(test::distance(e.embedding(in, {}), plain_sum(e.embedding, in, 2)), 1e-12);
  const Embedded narrow({.position = learned_position(4), .position_offset = 2});
  EXPECT_THROW(narrow.embedding(in, {}), ShapeError);
}

TEST(TokenEmbedding, AddsTypesAndNormalisesTheSum) {
  const Embedded e({.position = learned_position(3), .token_types = 2, .norm = nn::NormOptions()});
  TokenRows in = two_texts();
  in.types = ops::make_ids({0, 1, 1, 0, 1});
  const Tensor types = nn::look_up(e.embedding.token_types, in.types, 1, nullptr);
  const Tensor sum = ops::add(plain_sum(e.embedding, in, 0), types, nullptr);
  EXPECT_LT(test::distance(e.embedding(in, {}), e.embedding.norm(sum, {})), 1e-12);
  const Tensor of_types = e.embedding(in, {});
  in.types = nullptr;  // all of type 0
  const Tensor of_one = e.embedding(in, {});
  EXPECT_TRUE(test::same_bits(of_one.row_range(0, 1), of_types.row_range(0, 1)));
  EXPECT_GT(test::distance(of_one.row_range(1, 2), of_types.row_range(1, 2)), 1e-3);
}

TEST(TokenEmbedding, DropsElementsOfTheNormalisedSum) {
  const Embedded e({.norm = nn::NormOptions(), .dropout = 0.5});
  const TokenRows in = two_texts();
  const std::vector<double> all = test::values(e.embedding(in, {}));
  const std::vector<double> some = test::values(e.embedding(in, {.training = true, .key = {1, 2}}));
  size_t dropped = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    dropped += some[i] == 0 ? 1 : 0;
    EXPECT_NEAR(some[i], some[i] == 0 ? 0 : 2 * all[i], 1e-12);
  }
  EXPECT_GT(dropped, 0u);
  EXPECT_LT(dropped, all.size());
}

TEST(TokenEmbedding, AddsTheMaskVectorToMaskedRows) {
  const Embedded e({.has_mask = true});
  const TokenRows plain = two_texts();
  TokenRows in = plain;
  const std::vector<int32_t> masked = {1, 3};
  in.masked = masked;
  const Tensor x = e.embedding(in, {}), without = e.embedding(plain, {});
  const Tensor mask = nn::look_up(e.embedding.mask, ops::make_ids({0}), 2, nullptr);
  for (int64_t n = 0; n < x.rows(); ++n) {
    const Tensor row = without.row_range(n, n + 1);
    const bool is_masked = n == 1 || n == 3;
    EXPECT_LT(test::distance(x.row_range(n, n + 1), is_masked ? ops::add(row, mask, nullptr) : row),
              1e-12);
  }
}

TEST(TokenEmbedding, HasTheGradientOfDifferences) {
  Embedded e({.position = learned_position(4),
              .position_offset = 1,
              .token_types = 2,
              .norm = nn::NormOptions(),
              .has_mask = true,
              .dropout = 0.3});
  TokenRows in = two_texts();
  in.types = ops::make_ids({0, 1, 1, 0, 1});
  const std::vector<int32_t> masked = {2, 3};
  in.masked = masked;
  const Tensor target = test::random_tensor({5, kEmbeddingSize}, 9);
  const auto run = [&]() -> LossAndGradient {
    autograd::Tape tape;
    autograd::Gradients gradients(e.flat);
    const Tensor x = e.embedding(in, {.tape = &tape, .training = true, .key = {1, 2}});
    const Tensor loss = ops::squared_error(x, target, 1, &tape).value;
    tape.backward(loss, gradients);
    return {loss.item(), gradients.flat()};
  };
  expect_gradient_of_differences(e.embedding, e.flat, run);
}

}  // namespace
}  // namespace weft::models
