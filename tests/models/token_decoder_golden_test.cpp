// Decoder-only models against those of Transformers (tools/golden/decoders.py).
#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/small_options.h"
#include "tests/nn/family_golden.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/models/token_decoder.h"

namespace weft::models {
namespace {

struct DecoderCase {
  const char* name;
  int64_t depth;
  const char* flags;
  bool is_gemma = false;  // embeddings are scaled and tied
};

constexpr const char* kDecoderOfAll =
    "--transformer-heads 2 --transformer-key-heads 1 --transformer-dim-key 6 "
    "--transformer-dim-value 6 --transformer-dim-ffn 6 --transformer-ffn-gated "
    "--transformer-ffn-bias false --attention-bias false --norm-kind rms --norm-epsilon 1e-6 "
    "--position rotary";

// Transformers counts the row itself in a window.
const DecoderCase kDecoderCases[] = {
    {"mistral", 2,
     "--transformer-norm pre --transformer-ffn-activation silu --attention local "
     "--attention-window 2"},
    {"gemma2", 2,
     "--transformer-norm sandwich --transformer-ffn-activation gelu-tanh --attention local "
     "--attention-window 2 --attention-full-every 2 --attention-full-first 2 "
     "--attention-soft-cap 2 --output-soft-cap 3 --attention-scale 0.4472135954999579",
     true},
    {"gemma3", 3,
     "--transformer-norm sandwich --transformer-ffn-activation gelu-tanh --attention local "
     "--attention-window 2 --attention-full-every 3 --attention-full-first 3 "
     "--attention-scale 0.4472135954999579 --attention-qk-norm rms --rotary-base 100 "
     "--rotary-scaling linear --rotary-factor 4 --rotary-local-base 10",
     true},
};

class DecoderOfTransformers : public testing::TestWithParam<DecoderCase> {
 protected:
  void SetUp() override {
    const DecoderCase& c = GetParam();
    const test::Json file = test::golden_numbers("decoders"), &golden = file.at(c.name);
    ids_ = golden.at("ids").get<std::vector<int32_t>>();
    logits_ = test::matrix(golden.at("logits"));
    Seq2SeqOptions o = plain_options();
    o.encoder.dim_emb = 4;
    test::set(o, kDecoderOfAll);
    test::set(o, c.flags);
    o.decoder.output_bias = false;
    o.decoder.tied_embeddings = c.is_gemma;
    const LayerOptions layers = o.encoder;
    nn::RngStreams dropouts;
    TokenEmbedding embedding({.vocab = logits_.cols(),
                              .features = 4,
                              .scale = c.is_gemma ? std::optional<double>() : 1,
                              .position = make_position(layers, true)},
                             dropouts);
    nn::Stack stack = decoder_stack(layers, {.depth = c.depth}, dropouts);
    decoder_ = TokenDecoder(std::move(embedding), {std::move(stack)}, o.decoder);
    test::set_parameters(decoder_, golden.at("parameters"));
  }

  TokenDecoder decoder_;
  std::vector<int32_t> ids_;
  Tensor logits_;
};

constexpr double kInFloat = 1e-5;  // norms, rotations and softmax are in float32 there

TEST_P(DecoderOfTransformers, HasTheLogitsOfAText) {
  const ops::LayoutPtr rows = ops::make_layout({{0, static_cast<int32_t>(ids_.size())}});
  const Tensor states = decoder_.forward({ops::make_ids(ids_), rows}, {}, {});
  EXPECT_LT(test::distance(decoder_.logits(states, {}), logits_), kInFloat);
}

// A prompt in two parts, and then steps.
TEST_P(DecoderOfTransformers, HasThemFromACache) {
  nn::KvCache cache = decoder_.make_cache();
  const std::vector<int32_t> slot = {0}, one = {1};
  cache.add_sequences(slot, Segments::uniform(1, 0));
  const auto expect = [&](const Tensor& states, int64_t begin, int64_t end) {
    EXPECT_LT(test::distance(decoder_.logits(states, {}), logits_.row_range(begin, end)), kInFloat)
        << "rows from " << begin;
  };
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, 2}, {2, 6}}) {
    cache.begin_prompt(slot, Segments::uniform(1, static_cast<int32_t>(end - begin)));
    expect(decoder_.prefill(ops::make_ids({ids_.begin() + begin, ids_.begin() + end}), cache, {}),
           begin, end);
  }
  for (int64_t n = 6; n < std::ssize(ids_); ++n) {
    cache.begin_step(std::vector<int32_t>{n == 6 ? -1 : 0}, one);
    expect(decoder_.step(ops::make_ids({ids_[static_cast<size_t>(n)]}), cache, {}), n, n + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(, DecoderOfTransformers, testing::ValuesIn(kDecoderCases),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace weft::models
