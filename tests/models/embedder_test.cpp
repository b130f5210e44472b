#include "weft/models/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/nn/parameters.h"

namespace weft::models {
namespace {

using testing::HasSubstr;

constexpr TextEncoderDims kDims{.vocab = 9, .unknown_id = 1, .begin_id = 2, .end_id = 0};

EmbedderOptions embedder_options(const std::string& flags) {
  EmbedderOptions o;
  test::set(o,
            "--dim-emb 8 --enc-depth 2 --transformer-heads 2 --transformer-dim-ffn 12 "
            "--position learned --max-positions 8 --embedding-norm --token-types 2 "
            "--embedding-scale 1 " +
                flags);
  return o;
}

Embedder embedder(const std::string& flags, Tensor& parameters) {
  Embedder model(embedder_options(flags), kDims);
  const auto named = nn::parameters_of(model);
  parameters = nn::bind(named);
  nn::initialise(named, 3);
  return model;
}

data::Tokens batch_of(const std::vector<std::vector<int32_t>>& texts) {
  data::Tokens out;
  for (const auto& text : texts) out.add(text);
  return out;
}

TEST(Embedder, HasLayersAfterThePoolingAndVectorsOfLengthOne) {
  Tensor parameters;
  const Embedder model = embedder("--dense-sizes 6 --dense-sizes 4 --pooling last", parameters);
  EXPECT_EQ(model.width(), 4);
  const Tensor vectors = model(batch_of({{2, 3, 4, 0}, {2, 0}}), {});
  ASSERT_EQ(vectors.shape(), Shape({2, 4}));
  for (int64_t b = 0; b < 2; ++b) {
    double sum = 0;
    for (const double x : test::values(vectors.row_range(b, b + 1))) sum += x * x;
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  Tensor others;
  EXPECT_EQ(embedder("--normalise false", others).width(), 8);
}

// A text's vector has the same bits in any batch.
TEST(Embedder, DoesNotMixTexts) {
  const std::vector<std::vector<int32_t>> texts = {{2, 3, 4, 5, 6, 0}, {2, 0}, {2, 7, 8, 0}};
  for (const char* pooling : {"mean", "max", "first", "last", "mean-sqrt", "weighted-mean"}) {
    Tensor parameters;
    const Embedder model =
        embedder(std::string("--begin-symbol --dense-sizes 4 --pooling ") + pooling, parameters);
    const Tensor together = model(batch_of(texts), {});
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto b = static_cast<int64_t>(i);
      EXPECT_TRUE(test::same_bits(together.row_range(b, b + 1), model(batch_of({texts[i]}), {})))
          << pooling << " " << i;
    }
  }
}

// The rows of the table before the first token's are never read.
TEST(Embedder, OffsetsPositions) {
  Tensor parameters;
  const Embedder model = embedder("--position-offset 2 --max-positions 6", parameters);
  EXPECT_EQ(model.options.encoder.table_capacity(), 4);
  const data::Tokens texts = batch_of({{2, 3, 4, 0}});
  const Tensor before = model(texts, {}).clone();
  const auto& table = std::get<nn::LearnedPosition>(model.encoder.embedding.position.kind).weight;
  std::ranges::fill(table.value.row_range(0, 2).span<float>(), 5.0F);
  EXPECT_TRUE(test::same_bits(model(texts, {}), before));
  std::ranges::fill(table.value.row_range(2, 3).span<float>(), 5.0F);
  EXPECT_FALSE(test::same_bits(model(texts, {}), before));
}

TEST(Embedder, RefusesOptionsThatContradict) {
  const auto error = [](const std::string& flags) {
    return test::message_of<OptionError>([&] { Embedder(embedder_options(flags), kDims); });
  };
  EXPECT_THAT(error("--type rnn"), HasSubstr("--embedding-norm: is of --type transformer"));
  EXPECT_THAT(error("--position none --position-offset 1"),
              HasSubstr("--position-offset: is of --position learned"));
  EXPECT_THAT(error("--position-offset 8"), HasSubstr("leaves no position of --max-positions 8"));
}

}  // namespace
}  // namespace weft::models
