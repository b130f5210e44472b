// Language models of GGUF against Transformers: tools/golden/gguf_models.py made the files.
#include "weft/model_file/gguf/gguf_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/gguf_writer.h"
#include "weft/model_file/any_adapter.h"
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
    const auto saved = load_any_packed<LanguageModelSession>(folder.path("model"), precision);
    const auto direct = load_any_packed<LanguageModelSession>(gguf_file("llama"), precision);
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
      {"tokenizer.ggml.merges", "tokenizer.ggml.mergez",
       "tokenizer.ggml.merges is missing or of another kind; expected"},
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

// A copy of a golden file with fields replaced, or a tensor.
struct ChangedGguf {
  const char* name;
  std::vector<std::pair<const char*, Json>> fields;
  std::pair<const char*, std::vector<float>> tensor;

  void save(const std::string& path) const {
    const std::string bytes = test::read_bytes(gguf_file(name));
    formats::GgufContents contents = formats::parse_gguf(path, bytes);
    for (const auto& [field, value] : fields) contents.metadata[field] = value;
    std::vector<formats::GgufTensorToWrite> tensors;
    const GgufTensors read(gguf_file(name));
    for (const std::string& each : read.names()) {
      const bool is_changed = tensor.first != nullptr && each == tensor.first;
      const Tensor values = is_changed ? Tensor::from(std::span<const float>(tensor.second),
                                                      {std::ssize(tensor.second)})
                                       : read.float32(each);
      tensors.push_back({each, values});
    }
    formats::save_gguf(path, contents.metadata, tensors);
  }
};

TEST(GgufModel, ReportsTheValueThatIsNotSupported) {
  const float infinity = std::numeric_limits<float>::infinity();
  const char* kPattern = "gemma3.attention.sliding_window_pattern";
  const char* kFactors = "rope_freqs.weight";
  const char* kExpected = "tensor 'rope_freqs.weight': expected the factors of Llama 3's scaling";
  const std::pair<ChangedGguf, const char*> cases[] = {
      {{"llama3", {}, {kFactors, {1, 1, 1}}}, kExpected},
      {{"llama3", {}, {kFactors, {0, 0, 0}}}, kExpected},
      {{"llama3", {}, {kFactors, {-1, 2, 4}}}, kExpected},
      {{"llama3", {}, {kFactors, {1, infinity, infinity}}}, kExpected},
      {{"llama3", {}, {kFactors, {1, std::nanf(""), 4}}}, kExpected},
      {{"llama3", {}, {kFactors, {1, 2}}}, kExpected},
      {{"llama3", {}, {kFactors, {1}}}, kExpected},
      {{"llama3", {{"llama.rope.freq_base", "x"}}, {}}, kExpected},
      {{"llama", {}, {"output_norm.weight", {1, 1}}},
       "tensor 'output_norm.weight' has the wrong shape; expected [16], got [2]"},
      {{"llama3", {{"llama.rope.scaling.type", "linear"}, {"llama.rope.scaling.factor", 2.0}}, {}},
       "field 'rope.scaling.type' is not supported as \"linear\" with tensor 'rope_freqs.weight'"},
      {{"gemma3", {{kPattern, "x"}}, {}}, "expected a number or 3 booleans, got \"x\""},
      {{"gemma3", {{kPattern, -1}}, {}}, "expected a number or 3 booleans, got -1"},
      {{"gemma3", {{kPattern, 2.5}}, {}}, "expected a number or 3 booleans, got 2.5"},
      {{"gemma3", {{kPattern, {true, false}}}, {}}, "expected a number or 3 booleans"},
      {{"gemma3", {{kPattern, {1, 0, 1}}}, {}}, "expected a number or 3 booleans"},
      {{"gemma3", {{kPattern, {true, false, false}}}, {}},
       "expected full attention in the lowest layers or at equal distances"},
  };
  const test::Scratch folder;
  for (const auto& [changed, message] : cases) {
    changed.save(folder.path("m"));
    EXPECT_THAT(test::message_of<FormatError>(
                    [&] { GgufModel(folder.path("m")).load<LanguageModelSession>(); }),
                testing::AllOf(testing::StartsWith(folder.path("m")), HasSubstr(message)));
  }
}

}  // namespace
}  // namespace weft::model_file
