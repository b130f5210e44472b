// T5 models against Transformers: tools/golden/t5.py made the folders in tests/golden.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/predict/predicted.h"
#include "tests/support/errors.h"
#include "tests/support/options.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/hugging_face/logits.h"
#include "weft/model_file/translator.h"
#include "weft/predict/translation/translator.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

const std::string kGoldenT5 = test::source_path("tests/golden/");

TranslatorSession read_t5_folder(const std::string& folder) {
  return HuggingFaceModel(folder).load<TranslatorSession>();
}

class T5 : public testing::TestWithParam<const char*> {
 protected:
  std::string golden() const { return kGoldenT5 + GetParam(); }
};

// The ids of texts, and what is written for them greedily.
TEST_P(T5, ReadsAndWritesTextsAsTransformersDoes) {
  const TranslatorSession session = read_t5_folder(golden());
  decode::DecodeOptions options;
  options.beam_size = 1;
  options.allow_unk = true;
  options.max_output_length = 12;
  options.max_length_factor = 100;
  const predict::Translator translator(session, options);
  const auto texts = nlohmann::json::parse(test::read_bytes(golden() + "/texts.json"));
  ASSERT_EQ(texts.size(), 5u);
  for (const auto& one : texts) {
    SCOPED_TRACE(one.at("text"));
    std::vector<int32_t> ids = session.source().encode(one.at("text").get<std::string>());
    EXPECT_EQ(session.source().decode(ids), one.at("text"));
    ids.push_back(session.source().end_id());
    EXPECT_EQ(ids, one.at("ids").get<std::vector<int32_t>>());
    if (ids.size() == 1) continue;  // nothing is written for an empty text
    const auto found =
        test::predicted(translator, test::lines_of({one.at("text").get<std::string>()}));
    EXPECT_EQ(found.front().hypotheses.front().tokens,
              one.at("written").get<std::vector<int32_t>>());
  }
}

TEST_P(T5, HasARowForEachToken) {
  TranslatorSession session = read_t5_folder(golden());
  EXPECT_EQ(session.source().size(), session.model.dims.source_vocab);
  EXPECT_EQ(session.source().piece(31), "<unused_31>");
  const std::vector<int32_t> spelt = session.source().encode("<unused_31>");
  EXPECT_EQ(std::ranges::count(spelt, 31), 0);
  EXPECT_EQ(&session.source(), &session.target());
  const test::Scratch folder;
  write_hugging_face(folder.path("hf"), session);
  EXPECT_THAT(test::read_bytes(folder.path("hf/tokenizer.json")),
              testing::Not(HasSubstr("<unused_")));
}

INSTANTIATE_TEST_SUITE_P(Models, T5, testing::Values("t5_first", "t5_gated"),
                         [](const auto& one) { return std::string(one.param); });

// A copy of a golden folder for a test to modify.
class ChangedT5 : public testing::Test {
 protected:
  void SetUp() override { take("t5_first"); }
  void take(const std::string& name) const {
    std::filesystem::copy(kGoldenT5 + name, folder_.folder(),
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  void set(const char* field, const nlohmann::json& value) const {
    auto config = nlohmann::json::parse(test::read_bytes(folder_.path("config.json")));
    config[field] = value;
    folder_.file("config.json", config.dump());
  }
  void erase(const char* field) const {
    auto config = nlohmann::json::parse(test::read_bytes(folder_.path("config.json")));
    config.erase(field);
    folder_.file("config.json", config.dump());
  }
  std::string error() const {
    return test::message_of<Error>([&] { read_t5_folder(folder_.folder()); });
  }

  test::Scratch folder_;
};

// As files of earlier versions of Transformers say it.
TEST_F(ChangedT5, KnowsItsVersionByTheTies) {
  erase("scale_decoder_outputs");
  EXPECT_EQ(read_t5_folder(folder_.folder()).model.options.decoder.output_scale,
            1 / std::sqrt(12.0));
  erase("tie_word_embeddings");
  EXPECT_TRUE(read_t5_folder(folder_.folder()).model.options.tied_embeddings_all);
  take("t5_gated");
  erase("scale_decoder_outputs");
  set("tie_word_embeddings", false);
  const models::Seq2SeqOptions later = read_t5_folder(folder_.folder()).model.options;
  EXPECT_EQ(later.decoder.output_scale, 1);
  EXPECT_TRUE(later.tied_embeddings_src);
  EXPECT_LT(largest_logit_difference(read_t5_folder(folder_.folder()),
                                     folder_.path("logits.safetensors")),
            1e-5);
  set("tie_word_embeddings", true);
  EXPECT_THAT(error(), HasSubstr("'lm_head.weight'"));  // is not the table of a first version
}

// One table without a scale, as no published version has it.
TEST_F(ChangedT5, MayBeTiedWithoutAScale) {
  set("scale_decoder_outputs", false);
  TranslatorSession session = read_t5_folder(folder_.folder());
  EXPECT_EQ(session.model.options.decoder.output_scale, 1);
  const test::Scratch back;
  write_hugging_face(back.path("hf"), session);
  const models::Seq2SeqOptions again = read_t5_folder(back.path("hf")).model.options;
  EXPECT_TRUE(again.tied_embeddings_all);
  EXPECT_EQ(again.decoder.output_scale, 1);
}

TEST_F(ChangedT5, RefusesWhatItDoesNotHave) {
  set("feed_forward_proj", "gated-tanh");
  EXPECT_EQ(error(), folder_.path("config.json") +
                         ": field 'feed_forward_proj' is not supported as \"gated-tanh\"; expected "
                         "relu, gelu, silu or gated-gelu");
  set("feed_forward_proj", "relu");
  const std::string config = folder_.path("config.json");
  for (const int64_t size : {int64_t{20}, int64_t{-1}, int64_t{4'000'000'000'000}}) {
    set("vocab_size", size);
    EXPECT_EQ(error(), fmt::format("{}: field 'vocab_size': expected 26 to 1050, the tokens of "
                                   "tokenizer.json and 1024 more at most, got {}",
                                   config, size));
  }
  set("vocab_size", 32);
  set("eos_token_id", 3);
  EXPECT_EQ(error(), config +
                         ": field 'eos_token_id': expected 1, the end symbol of the tokeniser, "
                         "got 3");
  set("eos_token_id", 1);
  set("pad_token_id", 5);
  EXPECT_EQ(error(),
            config + ": field 'decoder_start_token_id': expected 5, as pad_token_id, got 0");
  set("pad_token_id", 0);
  set("d_kv", 5);
  EXPECT_THAT(error(), HasSubstr("SelfAttention"));
  set("d_kv", 4);
  set("is_decoder", true);
  EXPECT_THAT(error(), HasSubstr("'is_decoder'"));
  set("is_decoder", false);
  std::filesystem::remove(folder_.path("tokenizer.json"));
  EXPECT_THAT(error(), HasSubstr("tokenizer.json: no such file; expected a tokeniser; hint:"));
}

TEST(T5Folder, RefusesOptionsThatT5DoesNotHave) {
  const auto message = [](const char* flags) {
    TranslatorSession session = read_t5_folder(kGoldenT5 + "t5_gated");
    const test::Scratch folder;
    test::set(session.model.options, flags);
    return test::message_of<Error>([&] { write_hugging_face(folder.path("hf"), session); });
  };
  EXPECT_THAT(message("--output-scale 0.5"), HasSubstr("--output-scale"));
  EXPECT_THAT(message("--transformer-ffn-activation gelu"),
              HasSubstr("--transformer-ffn-activation"));
  EXPECT_THAT(message("--position rotary"), HasSubstr("position"));
  EXPECT_THAT(message("--tied-embeddings-src false"), HasSubstr("--tied-embeddings-src"));
  EXPECT_THAT(message("--embedding-scale 2"), HasSubstr("embedding-scale"));
}

}  // namespace
}  // namespace weft::model_file
