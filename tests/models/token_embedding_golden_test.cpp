// Embeddings of tokens against those of Transformers (tools/golden/text_embeddings.py).
#include <gtest/gtest.h>

#include "tests/nn/family_golden.h"
#include "tests/support/tensors.h"
#include "weft/models/token_embedding.h"

namespace weft::models {
namespace {

using test::Json;
using test::matrix;

constexpr int64_t kTokensThere = 7, kFeaturesThere = 3, kPositionsThere = 8;

TokenEmbeddingOptions embedding_there() {
  return {.vocab = kTokensThere, .features = kFeaturesThere};
}

// As BERT has it: not scaled, with learned positions, types and a norm.
TokenEmbeddingOptions embedding_of_bert() {
  TokenEmbeddingOptions o = embedding_there();
  o.scale = 1;
  o.position = nn::make_position(nn::LearnedPositionOptions(),
                                 {.features = kFeaturesThere, .max_positions = kPositionsThere});
  o.norm = nn::NormOptions{.epsilon = 1e-12};
  return o;
}

TEST(TokenEmbedding, IsThatOfBertRobertaAndGemma) {
  TokenEmbeddingOptions bert = embedding_of_bert(), roberta = embedding_of_bert();
  bert.token_types = 2;
  roberta.token_types = 1;
  roberta.position_offset = 2;
  const std::pair<const char*, TokenEmbeddingOptions> all[] = {
      {"bert", bert}, {"roberta", roberta}, {"gemma3", embedding_there()}};
  const Json golden = test::golden_numbers("text_embeddings");
  for (const auto& [name, options] : all) {
    SCOPED_TRACE(name);
    const Json& c = golden.at(name);
    nn::RngStreams dropouts;
    TokenEmbedding embedding(options, dropouts);
    test::set_parameters(embedding, c.at("parameters"));
    const auto ids = c.at("ids").get<std::vector<int32_t>>();
    TokenRows in{.ids = ops::make_ids(ids),
                 .rows = ops::make_layout({{0, static_cast<int32_t>(ids.size())}})};
    if (c.contains("types")) in.types = ops::make_ids(c.at("types").get<std::vector<int32_t>>());
    // Gemma's scale is in float32.
    EXPECT_LT(test::distance(embedding(in, {}), matrix(c.at("x"))), 1e-6);
  }
}

}  // namespace
}  // namespace weft::models
