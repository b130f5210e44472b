#include "weft/models/encoders/text_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/models/random_batch.h"
#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/models/seq2seq/seq2seq.h"

namespace weft::models {
namespace {

using testing::ElementsAre;

constexpr TextEncoderDims kEncoderDims{.vocab = 9, .unknown_id = 1, .begin_id = 2, .end_id = 0};

std::vector<std::string> names_of(auto& module) {
  std::vector<std::string> out;
  for (const auto& [name, p] : nn::parameters_of(module)) out.push_back(name);
  return out;
}

// Flags of an encoder, and of a translator with the same one.
struct EncoderCase {
  const char* flags;
  const char* translator;
};
const EncoderCase kEncoders[] = {
    {"--transformer-heads 2", "--transformer-heads 2"},
    {"--transformer-heads 2 --transformer-norm pre --position learned --attention local "
     "--attention-window 1",
     "--transformer-heads 2 --transformer-norm pre --position learned --attention local "
     "--attention-window 1"},
    {"--type rnn", "--type rnn-attention"},
    {"--type rnn --enc-type unidirectional --rnn-cell gru", "--type rnn --rnn-cell gru"},
    {"--type cnn", "--type cnn"},
};

// A model file's encoder is taken by its names; what it computes is that of the translator.
TEST(TextEncoder, IsTheEncoderOfATranslator) {
  for (const auto& [flags, of_translator] : kEncoders) {
    SCOPED_TRACE(flags);
    const std::string size = "--dim-emb 8 --enc-depth 2 ";
    TextEncoderOptions o;
    test::set(o, size + flags);
    Seq2SeqOptions wider;
    test::set(wider, size + "--dec-depth 1 " + of_translator);
    o.transformer.feed_forward.inner = wider.encoder.transformer.feed_forward.inner;
    nn::RngStreams dropouts;
    TextEncoder encoder(o, kEncoderDims, dropouts);
    Seq2Seq translator(wider, {.source_vocab = 9, .target_vocab = 8});
    nn::bind(nn::parameters_of(encoder));
    nn::bind(nn::parameters_of(translator));
    nn::initialise(nn::parameters_of(translator), 3);
    for (const auto& [name, p] : nn::parameters_of(encoder)) {
      const auto all = nn::parameters_of(translator);
      const auto same = std::ranges::find(all, name, &nn::NamedParameter::name);
      ASSERT_NE(same, all.end()) << name;
      ASSERT_EQ(same->parameter->shape, p->shape) << name;
      std::memcpy(p->value.bytes(), same->parameter->value.bytes(),
                  4 * static_cast<size_t>(p->shape.size()));
    }
    const data::Tokens tokens = random_sentences(5, 1, {9, 6});
    nn::Context context;
    const nn::Memory states = encoder(tokens, context);
    EXPECT_EQ(states.states.cols(), encoder.width());
    EXPECT_TRUE(test::same_bits(states.states, translator.encode(tokens, context).states));
  }
}

TEST(TextEncoder, NamesItsParametersAsATranslatorDoes) {
  TextEncoderOptions o;
  test::set(o, "--type cnn --enc-depth 1 --position learned");
  nn::RngStreams dropouts;
  TextEncoder encoder(o, kEncoderDims, dropouts);
  EXPECT_THAT(
      names_of(encoder),
      ElementsAre("model.encoder.embed_tokens.weight", "model.encoder.embed_positions.weight",
                  "model.encoder.layers.0.weight", "model.encoder.layers.0.bias"));
}

// Table 1 of Wang et al. 2022: (2 N)^(1/4) and (8 N)^(-1/4).
TEST(TextEncoder, HasTheDeepNormOfAnEncoderAlone) {
  EXPECT_DOUBLE_EQ(encoder_deepnorm(8, 0).scale, 2);
  EXPECT_DOUBLE_EQ(encoder_deepnorm(2, 0).gain, 0.5);
}

class WordDropout : public testing::Test {
 protected:
  WordDropout() {
    RandomStream random(1, 1);
    for (int b = 0; b < 100; ++b) {
      std::vector<int32_t> ids = {2};
      for (int i = 0; i < 9; ++i) ids.push_back(3 + static_cast<int32_t>(random.below(6)));
      tokens_.add(ids, 0);
    }
  }
  std::vector<int32_t> ids(data::Tokens tokens, int32_t first, nn::Context context) const {
    tokens.segments.first = first;
    return drop_words(tokens, ops::make_layout(tokens.segments), kEncoderDims, 0.4, context);
  }

  data::Tokens tokens_;
};

TEST_F(WordDropout, MakesSomeTokensTheUnknownSymbolInTraining) {
  EXPECT_EQ(ids(tokens_, 0, {}), tokens_.ids);
  const std::vector<int32_t> seen = ids(tokens_, 0, {.training = true, .key = {1, 2}});
  int64_t unknown = 0;
  for (size_t n = 0; n < seen.size(); ++n) {
    const bool is_special = tokens_.ids[n] == 2 || tokens_.ids[n] == 0;
    if (is_special || seen[n] != 1) {
      EXPECT_EQ(seen[n], tokens_.ids[n]);
    }
    unknown += seen[n] == 1 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(unknown) / 900, 0.4, 0.05);
  EXPECT_NE(ids(tokens_, 0, {.training = true, .key = {1, 3}}), seen);
  EXPECT_NE(ids(tokens_, 0, {.training = true, .key = {1, 2}, .pass = 1}), seen);
}

TEST_F(WordDropout, IsTheSameHoweverABatchIsSplit) {
  const nn::Context context{.training = true, .key = {1, 2}};
  const std::vector<int32_t> all = ids(tokens_, 40, context);
  data::Tokens part;
  for (int64_t b = 70; b < 80; ++b) part.add(tokens_[b]);
  const std::vector<int32_t> some = ids(part, 110, context);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + tokens_.segments.begin(70)));
}

}  // namespace
}  // namespace weft::models
