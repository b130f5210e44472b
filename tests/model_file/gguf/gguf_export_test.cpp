// Language models as GGUF and back.
#include "weft/model_file/gguf/gguf_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/gguf.h"
#include "weft/model_file/gguf/gguf_model.h"

namespace weft::model_file {
namespace {

using formats::GgufType;
using testing::HasSubstr;

LanguageModelSession read_gguf(const std::string& path) {
  return GgufModel(path).load<LanguageModelSession>();
}

LanguageModelSession golden_gguf(const std::string& name) {
  return read_gguf(test::source_path("tests/golden/language_models/" + name + "/model.gguf"));
}

// With random weights and a tokeniser that GGUF has; its rows are whole blocks of Q8_0.
LanguageModelSession model_of_blocks(const std::string& more_flags = "") {
  models::LanguageModelOptions options;
  test::set(options,
            "--dim-emb 64 --dec-depth 1 --transformer-heads 2 --transformer-dim-ffn 96 "
            "--transformer-ffn-bias false --max-positions 32 " +
                more_flags);
  return new_language_model(options, golden_gguf("llama").tokeniser, 5);
}

TEST(GgufExport, ComesBackToTheByte) {
  const test::Scratch folder;
  const std::string path = folder.path("model.gguf"), again = folder.path("again.gguf");
  for (const char* name : {"llama", "llama3", "qwen2", "qwen3", "gemma3", "gpt2"}) {
    SCOPED_TRACE(name);
    const LanguageModelSession model = golden_gguf(name);
    write_gguf(path, model, GgufType::kF32);
    const LanguageModelSession back = read_gguf(path);
    EXPECT_EQ(back.contents().options, model.contents().options);
    EXPECT_TRUE(test::same_bits(back.parameters, model.parameters));
    EXPECT_EQ(back.tokeniser->serialise(), model.tokeniser->serialise());
    EXPECT_EQ(formats::parse_gguf(path, test::read_bytes(path)).metadata.at("general.architecture"),
              std::string(name).substr(0, std::string_view(name) == "llama3" ? 5 : 99));
    write_gguf(again, back, GgufType::kF32);
    EXPECT_EQ(test::read_bytes(again), test::read_bytes(path));
  }
}

TEST(GgufExport, RoundsMatricesOnly) {
  const test::Scratch folder;
  const std::string path = folder.path("model.gguf");
  const auto types = [&](GgufType type, const std::string& flags) {
    write_gguf(path, model_of_blocks(flags), type);
    const std::string bytes = test::read_bytes(path);
    std::string out;
    for (const auto& tensor : formats::parse_gguf(path, bytes).tensors) {
      if (tensor.name.starts_with("blk") && !tensor.name.ends_with("attn_q.weight") &&
          !tensor.name.ends_with("_norm.weight")) {
        continue;
      }
      out += tensor.name + " " + std::string(formats::layout_of(tensor.type).name) + "\n";
    }
    return out;
  };
  EXPECT_EQ(types(GgufType::kQ4_0, ""),
            "token_embd.weight Q8_0\nblk.0.attn_q.weight Q4_0\nblk.0.attn_norm.weight F32\n"
            "blk.0.ffn_norm.weight F32\noutput_norm.weight F32\n");
  EXPECT_THAT(types(GgufType::kQ4_0, "--tied-embeddings false"),
              testing::AllOf(HasSubstr("token_embd.weight Q4_0"), HasSubstr("output.weight Q8_0")));
  EXPECT_THAT(types(GgufType::kF16, ""), HasSubstr("token_embd.weight F16"));
  EXPECT_THAT(types(GgufType::kQ8_0, "--dim-emb 48"), HasSubstr("token_embd.weight F16"));
}

TEST(GgufExport, KeepsNumbersThatTheTypeHas) {
  const test::Scratch folder;
  const std::string first = folder.path("first.gguf"), second = folder.path("second.gguf");
  for (const GgufType type : {GgufType::kF16, GgufType::kBF16, GgufType::kQ8_0}) {
    write_gguf(first, model_of_blocks(), type);
    const LanguageModelSession rounded = read_gguf(first);
    EXPECT_FALSE(test::same_bits(rounded.parameters, model_of_blocks().parameters));
    write_gguf(second, rounded, type);
    EXPECT_TRUE(test::same_bits(read_gguf(second).parameters, rounded.parameters));
  }
}

TEST(GgufExport, KeepsChatTemplates) {
  const test::Scratch folder;
  LanguageModelSession model = golden_gguf("llama");
  model.chat_templates.set(data::kDefaultChatTemplate, "{{ messages }}");
  model.chat_templates.set("tools", "{{ tools }}");
  write_gguf(folder.path("model.gguf"), model, GgufType::kF32);
  EXPECT_EQ(read_gguf(folder.path("model.gguf")).chat_templates.by_name,
            model.chat_templates.by_name);
}

TEST(GgufExport, WritesOtherPatternsOfLayers) {
  const test::Scratch folder;
  LanguageModelSession model = golden_gguf("gemma3");
  for (const char* flags : {"--attention-full-every 3 --attention-full-first 3",
                            "--attention-full-every 0 --attention-full-first 1",
                            "--attention-full-every 0 --attention-full-first 1 "
                            "--attention-full-lowest 2"}) {
    test::set(model.model.options, flags);
    write_gguf(folder.path("model.gguf"), model, GgufType::kF32);
    const auto layers = [](const LanguageModelSession& session) {
      const nn::FullLayers full =
          session.model.options.layers.transformer.attention.kind.full_layers();
      return std::vector<bool>{full.has(0), full.has(1), full.has(2)};
    };
    EXPECT_EQ(layers(read_gguf(folder.path("model.gguf"))), layers(model)) << flags;
  }
}

// A number of 32 bits is that of the file, by whichever decimals the model has it.
TEST(GgufExport, TakesNumbersOf32Bits) {
  const test::Scratch folder;
  for (const char* epsilon : {"9.999999747378752e-06", "1e-05", "1.23456789012e-05"}) {
    const std::string path = folder.path(epsilon);
    write_gguf(path, model_of_blocks(std::string("--norm-epsilon ") + epsilon), GgufType::kF32);
    const Json options = Json::parse(read_gguf(path).contents().options);
    EXPECT_FLOAT_EQ(options.value("norm-epsilon", 1e-5f), std::stof(epsilon)) << epsilon;
  }
}

TEST(GgufExport, NamesTheOptionThatGgufDoesNotHave) {
  const std::pair<const char*, const char*> cases[] = {
      {"--position alibi", "--position: llama models in GGUF support only \"rotary\""},
      {"--embedding-scale 2", "--embedding-scale: llama models in GGUF support only 1"},
      {"--attention local --attention-window 3", "--attention: llama models in GGUF support only"},
      {"--rotary-scaling ntk", "--rotary-scaling: llama models in GGUF support only"},
      {"--rotary-scaling llama3 --rotary-low-factor 2",
       "--rotary-scaling: GGUF stores only the frequency factors"},
      {"--attention-bias true --attention-key-bias false", "--attention-key-bias: llama models"},
      {"--norm-kind layer", "--norm-kind: llama models"},
      {"--position learned --norm-kind layer --transformer-ffn-gated false "
       "--transformer-ffn-activation gelu-tanh --attention-bias true --transformer-ffn-bias true "
       "--embedding-scale 1 --output-bias false --transformer-key-heads 1",
       "--transformer-key-heads: gpt2 models in GGUF support only "},
      {"--transformer-norm sandwich --transformer-ffn-activation gelu-tanh --embedding-scale auto "
       "--attention-qk-norm rms --attention local --attention-window 3 --attention-full-every 6 "
       "--attention-full-first 6",
       "--rotary-local-base: gemma3 models in GGUF have a base of layers with a window"},
  };
  const test::Scratch folder;
  for (const auto& [flags, message] : cases) {
    const LanguageModelSession model = model_of_blocks(flags);
    EXPECT_THAT(test::message_of<OptionError>(
                    [&] { write_gguf(folder.path("model.gguf"), model, GgufType::kF32); }),
                HasSubstr(message))
        << flags;
  }
  EXPECT_THAT(test::message_of<OptionError>([&] {
                write_gguf(folder.path("model.gguf"), small_language_model(), GgufType::kF32);
              }),
              HasSubstr("--to-gguf: a tokeniser of kind '"));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

}  // namespace
}  // namespace weft::model_file
