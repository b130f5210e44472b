// Language models of GGUF against Transformers: tools/golden/gguf_models.py made the files.
#include "weft/model_file/gguf/gguf_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/model_file/any_language_model.h"
#include "weft/model_file/hugging_face/logits.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

std::string gguf_file(const std::string& name) {
  return test::source_path("tests/golden/language_models/" + name + "/model.gguf");
}

TEST(GgufModel, GivesTheLogitsOfTransformers) {
  for (const char* name : {"llama", "llama3", "qwen2", "qwen3", "gemma3", "gpt2"}) {
    const auto session = GgufModel(gguf_file(name)).load<LanguageModelSession>();
    const std::string logits = std::string("tests/golden/language_models/") + name;
    EXPECT_LT(largest_logit_difference(session, test::source_path(logits + "/logits.safetensors")),
              1e-5)
        << name;
    EXPECT_THAT(session.model.dims.end_ids, testing::ElementsAre(0));
    EXPECT_EQ(session.model.dims.begin_id, 2);
    EXPECT_FALSE(session.adds_begin);
    EXPECT_EQ(session.model.options.context(), 32);
    EXPECT_EQ(session.tokeniser->decode(session.tokeniser->encode("abc bc")), "abc bc");
  }
}

TEST(GgufModel, IsKeptInAModelFileAndUsedWithoutOne) {
  const test::Scratch folder;
  const auto session = GgufModel(gguf_file("llama")).load<LanguageModelSession>();
  save(folder.path("model"), session, session.parameters);
  GgufModel(gguf_file("llama")).save_stored<LanguageModelSession>(folder.path("stored"));
  EXPECT_EQ(test::read_bytes(folder.path("stored")), test::read_bytes(folder.path("model")));
  data::Tokens text;
  text.add(session.tokeniser->encode("abcdefghij"));
  for (const Precision precision : {Precision::kStored, Precision::kInt8}) {
    const auto saved = load_any_language_model(folder.path("model"), precision);
    const auto direct = load_any_language_model(gguf_file("llama"), precision);
    EXPECT_TRUE(test::same_bits(saved.model.logits(text, {}), direct.model.logits(text, {})));
    EXPECT_EQ(saved.tokeniser->encode("abcdefghij"), direct.tokeniser->encode("abcdefghij"));
  }
}

TEST(GgufModel, ReportsTheKeyOrTensor) {
  const std::tuple<std::string, std::string, const char*> cases[] = {
      {std::string("\x05\0\0\0\0\0\0\0llama", 13), std::string("\x05\0\0\0\0\0\0\0other", 13),
       "general.architecture is not supported as \"other\"; expected llama, qwen2, qwen3, gemma3, "
       "gpt2"},
      {"llama.block_count", "llama.block_counu", "no field 'block_count'"},
      {"llama.rope.freq_base", "llama.rope.freq_basf", "field 'rope.freq_basf' is not supported"},
      {"llama.rope.freq_base", "other.rope.freq_base",
       "field 'other.rope.freq_base' is not supported"},
      {"blk.1.attn_k.weight", "blk.1.attn_z.weight", "no tensor 'blk.1.attn_k.weight'"},
      {"token_embd.weight", "token_embe.weight", "no tensor 'token_embd.weight'"},
      {"tokenizer.ggml.tokens", "tokenizer.ggml.tokenz", "tokenizer.ggml.token"},
  };
  const test::Scratch folder;
  const std::string whole = test::read_bytes(gguf_file("llama"));
  for (const auto& [from, to, message] : cases) {
    std::string bytes = whole;
    const size_t begin = bytes.find(from);
    ASSERT_NE(begin, bytes.npos) << from;
    bytes.replace(begin, from.size(), to);
    const std::string path = folder.file("model.gguf", bytes);
    EXPECT_THAT(
        test::message_of<FormatError>([&] { GgufModel(path).load<LanguageModelSession>(); }),
        testing::AllOf(testing::StartsWith(path), HasSubstr(message)))
        << from;
  }
}

}  // namespace
}  // namespace weft::model_file
