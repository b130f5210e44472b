// An encoder as ModernBERT has it against that of Transformers (tools/golden/modern_bert.py).
#include <gtest/gtest.h>

#include "tests/models/small_options.h"
#include "tests/nn/family_golden.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/models/token_embedding.h"

namespace weft::models {
namespace {

struct ModernBert {
  TokenEmbedding embedding;
  nn::Stack stack;

  template <class V>
  void fields(V& v) {
    embedding.fields(v);
    stack.fields(v);
  }
};

TEST(Encoder, HasTheStatesOfModernBert) {
  const test::Json golden = test::golden_numbers("modern_bert");
  Seq2SeqOptions o = plain_options();
  o.encoder.dim_emb = 8;
  test::set(o,
            "--transformer-norm pre --transformer-first-norm false --norm-bias false "
            "--transformer-heads 2 --attention-bias false --transformer-dim-ffn 6 "
            "--transformer-ffn-activation gelu --transformer-ffn-gated "
            "--transformer-ffn-bias false --attention local --attention-window 2 "
            "--attention-full-every 3 --position rotary --rotary-base 100 --rotary-local-base 10");
  const LayerOptions layers = o.encoder;
  nn::RngStreams dropouts;
  TokenEmbedding embedding({.vocab = 9,
                            .features = 8,
                            .scale = 1,
                            .position = make_position(layers, false),
                            .norm = layers.transformer.norm},
                           dropouts);
  nn::Stack stack(stack_options(layers.transformer, 3), block_options(layers, {}, {}), dropouts);
  ModernBert model{std::move(embedding), std::move(stack)};
  test::set_parameters(model, golden.at("parameters"));
  const auto ids = golden.at("ids").get<std::vector<int32_t>>();
  const ops::LayoutPtr rows = ops::make_layout({{0, static_cast<int32_t>(ids.size())}});
  const Tensor x = model.embedding({ops::make_ids(ids), rows}, {});
  const nn::AttentionPosition position = model.embedding.position.in_attention(rows, {});
  const Tensor y = model.stack.forward(x, {rows, position}, {}, {});
  // Rotations and softmax are in float32 there.
  EXPECT_LT(test::distance(y, test::matrix(golden.at("states"))), 1e-5);
}

}  // namespace
}  // namespace weft::models
