#include "weft/models/language_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/differences.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "weft/core/error.h"

namespace weft::models {
namespace {

using testing::HasSubstr;

constexpr LanguageModelDims kTextDims = {.vocab = 9};

LanguageModelDims text_dims() {
  LanguageModelDims out = kTextDims;
  out.end_ids = {0};
  return out;
}

LanguageModelOptions text_options(const std::string& flags) {
  LanguageModelOptions out;
  test::set(out,
            "--dim-emb 12 --dec-depth 2 --transformer-heads 2 --transformer-dim-ffn 10 " + flags);
  return out;
}

constexpr const char* kTextFlags[] = {
    "--transformer-key-heads 1",
    "--transformer-dim-key 4 --transformer-dim-value 4 --tied-embeddings false",
    "--position learned --norm-kind layer --transformer-ffn-gated false --attention-bias",
    "--attention local --attention-window 2 --embedding-scale auto --output-bias",
};

TEST(LanguageModel, PredictsATokenFromThoseBeforeItInItsTextAlone) {
  for (const char* flags : kTextFlags) {
    SCOPED_TRACE(flags);
    LanguageModel model(text_options(flags), text_dims());
    bind_in_no_special_place(model);
    data::Tokens two, one, beginning;
    two.add(std::vector<int32_t>{3, 3, 8});
    two.add(std::vector<int32_t>{4, 7, 2, 8, 0});
    one.add(std::vector<int32_t>{4, 7, 2, 8, 0});
    beginning.add(std::vector<int32_t>{4, 7, 2});
    const Tensor logits = model.logits(one, {});
    EXPECT_EQ(logits.shape(), (Shape{5, 9}));
    EXPECT_TRUE(test::same_bits(model.logits(two, {}).row_range(3, 8), logits));
    EXPECT_TRUE(test::same_bits(model.logits(beginning, {}), logits.row_range(0, 3)));
  }
}

TEST(LanguageModel, ScalesItsEmbeddings) {
  const auto logits_of = [](const std::string& flags) {
    LanguageModel model(text_options("--norm-epsilon 0.5 " + flags), text_dims());
    bind_in_no_special_place(model);
    data::Tokens text;
    text.add(std::vector<int32_t>{4, 7, 2});
    return model.logits(text, {});
  };
  const Tensor scaled = logits_of("--embedding-scale auto");
  EXPECT_GT(test::distance(scaled, logits_of("")), 1e-3);
  EXPECT_TRUE(test::same_bits(scaled, logits_of("--embedding-scale 3.4641016151377544")));
}

TEST(LanguageModel, ReadsTextOfAnyLengthWhereAllLayersHaveAWindow) {
  const auto capacity = [](const std::string& flags) {
    return text_options("--max-positions 32 " + flags).capacity();
  };
  const std::string local = "--attention local --attention-window 2 ";
  EXPECT_EQ(capacity(""), 32);
  EXPECT_GT(capacity(local), 1'000'000'000);
  EXPECT_GT(capacity(local + "--position alibi"), 1'000'000'000);
  EXPECT_GT(capacity(local + "--attention-full-every 3 --attention-full-first 3"), 1'000'000'000);
  EXPECT_EQ(capacity(local + "--attention-full-every 2"), 32);
  EXPECT_EQ(capacity(local + "--attention-full-lowest 1"), 32);
  EXPECT_EQ(capacity(local + "--position sinusoidal"), 32);
  EXPECT_EQ(capacity(local + "--position learned"), 32);
}

TEST(LanguageModel, RefusesOptionsThatContradictEachOther) {
  const std::pair<const char*, const char*> cases[] = {
      {"--position sinusoidal-2d", "--position: sinusoidal-2d encodes the row"},
      {"--attention linformer --attention-keys 2", "--attention-in: --attention linformer"},
      {"--transformer-heads 5", "--transformer-heads: 5 heads do not divide --dim-emb 12"},
      {"--transformer-key-heads 3", "--transformer-key-heads: "},
      {"--prune-heads encoder.1.1", "--prune-heads: "},
      {"--tied-layers 2", "--tied-layers: layer 1 cannot have the weights of 2"},
      {"--attention-window 3", "--attention-window: belongs to --attention local"},
  };
  for (const auto& [flags, message] : cases) {
    const LanguageModelOptions options = text_options(flags);
    EXPECT_THAT(test::message_of<OptionError>([&] { LanguageModel(options, text_dims()); }),
                HasSubstr(message))
        << flags;
  }
}

TEST(LanguageModel, RefusesSymbolsThatItsVocabularyDoesNotHave) {
  const auto message_of = [](const LanguageModelDims& dims) {
    return test::message_of<OptionError>([&] { LanguageModel(text_options(""), dims); });
  };
  EXPECT_THAT(message_of({.vocab = 9}), HasSubstr("no end id"));
  EXPECT_THAT(message_of({.vocab = 9, .begin_id = 9, .end_ids = {1}}), HasSubstr("begin id 9"));
  EXPECT_THAT(message_of({.vocab = 9, .end_ids = {1, 12}}), HasSubstr("end id 12; expected one"));
}

}  // namespace
}  // namespace weft::models
