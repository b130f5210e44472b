#include "weft/models/token_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/models/differences.h"
#include "tests/models/random_batch.h"
#include "tests/models/small_options.h"
#include "tests/support/options.h"
#include "weft/models/seq2seq/seq2seq.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::models {
namespace {

constexpr int64_t kDecoderTokens = 9;
constexpr int32_t kDecoderBegin = 1;

// A decoder-only Transformer of two layers.
TokenDecoder small_decoder(const std::string& flags, const DecoderOptions& o = {{2}}) {
  Seq2SeqOptions all = plain_options();
  test::set(all, flags);
  const LayerOptions layers = all.encoder;
  nn::RngStreams dropouts;
  TokenEmbedding embedding({.vocab = kDecoderTokens,
                            .features = layers.dim_emb,
                            .position = make_position(layers, true)},
                           dropouts);
  nn::Stack stack = decoder_stack(layers, {.depth = o.dec_depth}, dropouts);
  return {std::move(embedding), {std::move(stack)}, o};
}

Tensor logits_of(const TokenDecoder& decoder, const data::Tokens& target) {
  return decoder.logits(decoder.states(target, kDecoderBegin, {}, {}), {});
}

constexpr const char* kDecoderFlags[] = {"--transformer-norm pre --position rotary",
                                         "--norm-kind rms --position alibi",
                                         "--transformer-norm pre --transformer-key-heads 1 "
                                         "--position learned"};

// In a pre-norm block cross-attention whose output is 0 adds nothing.
TEST(TokenDecoder, IsThatOfAnEncoderDecoderWithoutItsCrossAttention) {
  for (const char* flags : {kDecoderFlags[0], kDecoderFlags[2]}) {
    SCOPED_TRACE(flags);
    Seq2SeqOptions o = plain_options();
    o.decoder.dec_depth = 2;
    test::set(o, flags);
    Seq2Seq whole(o, {.source_vocab = 5, .target_vocab = kDecoderTokens, .begin_id = 1});
    bind_in_no_special_place(whole);
    TokenDecoder alone = small_decoder(flags);
    nn::bind(nn::parameters_of(alone), DType::kF64);
    for (const auto& [name, p] : nn::parameters_of(whole)) {
      if (name.find("encoder_attn.out_proj") == std::string::npos) continue;
      std::memset(p->value.bytes(), 0, sizeof(double) * static_cast<size_t>(p->shape.size()));
    }
    for (const auto& [name, p] : nn::parameters_of(alone)) {
      const auto all = nn::parameters_of(whole);
      const auto same = std::ranges::find(all, name, &nn::NamedParameter::name);
      ASSERT_NE(same, all.end()) << name;
      ASSERT_EQ(same->parameter->shape, p->shape) << name;
      std::memcpy(p->value.bytes(), same->parameter->value.bytes(),
                  sizeof(double) * static_cast<size_t>(p->shape.size()));
    }
    const data::Batch pairs{{random_sentences(3, 1, {5, 4}), random_sentences(3, 2, {9, 6})}, {}};
    const Tensor expected = whole.decoder.logits(whole.states(pairs, {}), {});
    EXPECT_TRUE(test::same_bits(logits_of(alone, pairs.target()), expected));
  }
}

TEST(TokenDecoder, ReadsNoTokenAfterTheOneItPredicts) {
  for (const char* flags : kDecoderFlags) {
    SCOPED_TRACE(flags);
    TokenDecoder decoder = small_decoder(flags);
    bind_in_no_special_place(decoder);
    data::Tokens text, beginning;
    text.add(std::vector<int32_t>{4, 7, 2, 8, 0});
    beginning.add(std::vector<int32_t>{4, 7, 2});
    EXPECT_TRUE(
        test::same_bits(logits_of(decoder, text).row_range(0, 3), logits_of(decoder, beginning)));
  }
}

TEST(TokenDecoder, ContinuesAPromptFromACache) {
  for (const char* flags : kDecoderFlags) {
    SCOPED_TRACE(flags);
    TokenDecoder decoder = small_decoder(flags);
    nn::bind(nn::parameters_of(decoder));
    nn::initialise(nn::parameters_of(decoder), 3);
    data::Tokens text;
    text.add(std::vector<int32_t>{4, 7, 2, 8, 0});
    const Tensor expected = decoder.states(text, kDecoderBegin, {}, {});
    nn::KvCache cache = decoder.make_cache();
    const std::vector<int32_t> slot = {0}, one = {1};
    cache.add_sequences(slot, Segments::uniform(1, 0));
    cache.begin_prompt(slot, Segments::uniform(1, 3));
    const Tensor prompt = decoder.prefill(ops::make_ids({kDecoderBegin, 4, 7}), cache, {});
    EXPECT_LT(test::distance(prompt, expected.row_range(0, 3)), 1e-5);
    cache.begin_step(std::vector<int32_t>{-1}, one);
    const Tensor first = decoder.step(ops::make_ids({2}), cache, {});
    EXPECT_LT(test::distance(first, expected.row_range(3, 4)), 1e-5);
    cache.begin_step(slot, one);
    const Tensor second = decoder.step(ops::make_ids({8}), cache, {});
    EXPECT_LT(test::distance(second, expected.row_range(4, 5)), 1e-5);
  }
}

TEST(TokenDecoder, HasTheGradientOfDifferences) {
  for (const bool is_tied : {false, true}) {
    for (const char* flags : kDecoderFlags) {
      SCOPED_TRACE(flags);
      TokenDecoder decoder = small_decoder(flags, {{1}, true, is_tied});
      const Tensor flat = bind_in_no_special_place(decoder);
      const data::Tokens text = random_sentences(3, 2, {kDecoderTokens, 5});
      const auto run = [&]() -> LossAndGradient {
        autograd::Tape tape;
        autograd::Gradients gradients(flat);
        const Tensor states = decoder.states(text, kDecoderBegin, {}, {.tape = &tape});
        const ops::Loss loss = ops::projection_loss(
            states, decoder.projection(), ops::make_ids(text.ids), {.weight = 0.1}, &tape);
        tape.backward(loss.value, gradients);
        return {loss.value.item(), gradients.flat()};
      };
      expect_gradient_of_differences(decoder, flat, run);
    }
  }
}

TEST(TokenDecoder, ProjectsToSomeTokensAsToAll) {
  TokenDecoder decoder = small_decoder(kDecoderFlags[0]);
  bind_in_no_special_place(decoder);
  const Tensor states = test::random_tensor({3, kFeatures}, 4);
  const std::vector<int32_t> tokens = {6, 2};
  const Tensor some = decoder.projection_to(tokens)(states, nullptr);
  const Tensor all = decoder.logits(states, {});
  for (int64_t c = 0; c < 2; ++c) {
    EXPECT_LT(test::distance(some.col_range(c, c + 1), all.col_range(tokens[c], tokens[c] + 1)),
              1e-12);
  }
}

TEST(TokenDecoder, BoundsAllItsLogits) {
  TokenDecoder decoder = small_decoder(kDecoderFlags[0]);
  bind_in_no_special_place(decoder);
  const Tensor states = test::random_tensor({3, kFeatures}, 4);
  const Tensor plain = decoder.logits(states, {});
  decoder.output_soft_cap = 0.5;
  const Tensor capped = decoder.logits(states, {});
  const std::vector<int32_t> tokens = {6, 2};
  const Tensor some = decoder.limited_logits(states, decoder.projection_to(tokens), {});
  for (int64_t n = 0; n < 3; ++n) {
    for (int64_t c = 0; c < kDecoderTokens; ++c) {
      const double x = plain.data<double>()[n * kDecoderTokens + c];
      EXPECT_NEAR(capped.data<double>()[n * kDecoderTokens + c], 0.5 * std::tanh(x / 0.5), 1e-12);
    }
    for (int64_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(some.data<double>()[n * 2 + c],
                  capped.data<double>()[n * kDecoderTokens + tokens[static_cast<size_t>(c)]],
                  1e-12);
    }
  }
}

TEST(TokenDecoder, HasTheDeepNormOfItsLayersAlone) {
  const TokenDecoder decoder = small_decoder("--residual-scale deepnorm", {{8}});
  const nn::Block& block = std::get<nn::Stack>(decoder.layers.kind).layers.front();
  EXPECT_DOUBLE_EQ(block.self_residual.scale, 2);  // (2 * 8)^(1/4)
}

}  // namespace
}  // namespace weft::models
