// weft quantize, and translation in every precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/translating.h"
#include "tests/support/paths.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Quantize : public Translating {
 protected:
  Quantize() : Translating(30) {}

  ProcessResult run(const std::vector<std::string>& args) { return Translating::run(args, text_); }
  std::string translate(const std::string& model, std::vector<std::string> more) {
    more.insert(more.begin(), {"translate", "-m", model, "--n-best", "-b", "3"});
    return run(more).output;
  }
};

TEST_F(Quantize, WritesASmallerFileWithTheSameTranslations) {
  const auto whole = std::filesystem::file_size(scratch_.path("model"));
  for (const std::string precision : {"int8", "bfloat16"}) {
    SCOPED_TRACE(precision);
    ASSERT_EQ(run({"quantize", "-m", "model", "-o", "small", "--precision", precision}).status, 0);
    EXPECT_LT(std::filesystem::file_size(scratch_.path("small")), whole * 3 / 4);
    const std::string expected = translate("model", {"--precision", precision});
    EXPECT_THAT(expected, testing::Not(testing::IsEmpty()));
    EXPECT_EQ(translate("small", {}), expected);
    EXPECT_NE(translate("model", {}), expected);  // scores at least differ
    ASSERT_EQ(run({"quantize", "-m", "small", "-o", "again", "--precision", precision}).status, 0);
    EXPECT_EQ(read_bytes(scratch_.path("again")), read_bytes(scratch_.path("small")));
  }
}

TEST_F(Quantize, KeepsAFloat32Model) {
  ASSERT_EQ(run({"quantize", "-m", "model", "-o", "same", "--precision", "float32"}).status, 0);
  EXPECT_EQ(read_bytes(scratch_.path("same")), read_bytes(scratch_.path("model")));
}

TEST_F(Quantize, ReadsLanguageModelsOfOtherSystems) {
  const std::string gguf = source_path("tests/golden/language_models/llama/model.gguf");
  ASSERT_EQ(run({"convert", "--from-gguf", gguf, "-o", "llama"}).status, 0);
  ASSERT_EQ(run({"quantize", "-m", "llama", "-o", "small"}).status, 0);
  const ProcessResult result = run({"quantize", "-m", gguf, "-o", "direct"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_EQ(read_bytes(scratch_.path("direct")), read_bytes(scratch_.path("small")));
  scratch_.file("copy.gguf", read_bytes(gguf));
  EXPECT_THAT(run({"quantize", "-m", "copy.gguf", "-o", "copy.gguf"}).errors,
              HasSubstr("copy.gguf, which is an input"));
  EXPECT_EQ(read_bytes(scratch_.path("copy.gguf")), read_bytes(gguf));
}

TEST_F(Quantize, ReadsFoldersOfAnyKind) {
  for (const std::string name : {"encoders/bert_tagger", "encoders/bert", "marian_shared"}) {
    const std::string folder = source_path("tests/golden/" + name);
    ASSERT_EQ(run({"convert", "--from-hf", folder, "-o", "whole", "--overwrite"}).status, 0);
    ASSERT_EQ(run({"quantize", "-m", "whole", "-o", "small"}).status, 0);
    const ProcessResult result = run({"quantize", "-m", folder, "-o", "direct"});
    ASSERT_EQ(result.status, 0) << result.errors;
    EXPECT_TRUE(read_bytes(scratch_.path("direct")) == read_bytes(scratch_.path("small"))) << name;
  }
  EXPECT_THAT(run({"quantize", "-m"}).errors,
              HasSubstr("-m: no value; expected the path of a file"));
}

TEST_F(Quantize, SaysWhatItCostsALanguageModel) {
  const std::string gguf = source_path("tests/golden/language_models/llama/model.gguf");
  const auto perplexity = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = {"quantize", "-m", gguf, "-o", "small"};
    args.insert(args.end(), more.begin(), more.end());
    const ProcessResult result = run(args);
    EXPECT_EQ(result.status, 0);
    return result.errors;
  };
  EXPECT_THAT(perplexity({"--precision", "int4"}),
              testing::ContainsRegex("perplexity of [0-9]+ tokens: [0-9.]+ in place of [0-9.]+, "
                                     "[+-][0-9.]+ %"));
  EXPECT_THAT(perplexity({"--precision", "float32"}), HasSubstr(", +0.00 %"));
  scratch_.file("text", "ab\n\n");
  EXPECT_THAT(perplexity({"--check-text", "text"}), HasSubstr("perplexity of "));
  EXPECT_THAT(run({"quantize", "-m", "model", "-o", "x", "--check-text", "text"}).errors,
              HasSubstr("--check-text: a model of type 'seq2seq'; expected a language model"));
  EXPECT_FALSE(std::filesystem::exists(scratch_.path("x")));
}

TEST_F(Quantize, MayOverwriteItsInput) {
  const std::string expected = translate("model", {"--precision", "int8"});
  ASSERT_EQ(run({"quantize", "-m", "model", "-o", "model"}).status, 0);
  EXPECT_EQ(translate("model", {}), expected);
}

TEST_F(Quantize, IsTheSameInAnyBatchAndWithAnyThreads) {
  for (const std::string precision : {"float32", "bfloat16", "int8"}) {
    const std::string expected =
        translate("model", {"--precision", precision, "--mini-batch", "1", "--threads", "1"});
    for (const std::string batch : {"7", "32"}) {
      for (const std::string threads : {"1", "2"}) {
        EXPECT_EQ(translate("model", {"--precision", precision, "--mini-batch", batch, "--threads",
                                      threads}),
                  expected)
            << precision << ", batch " << batch << ", threads " << threads;
      }
    }
  }
}

TEST_F(Quantize, IsTranslatedWithTheInstructionsThatAreAllowed) {
  const auto translate_with = [&](const std::string& instructions) {
    return run_weft({"translate", "-m", "model", "--precision", "int8"},
                    {.input = text_,
                     .environment = {"WEFT_MAX_CPU_ISA=" + instructions},
                     .folder = scratch_.folder()});
  };
  for (const char* instructions : {"scalar", "avx2", "avx2_vnni", "avx512", "amx"}) {
    const ProcessResult result = translate_with(instructions);
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_EQ(split_lines(result.output).size(), split_lines(text_).size());
  }
  const ProcessResult result = translate_with("avx3");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("WEFT_MAX_CPU_ISA: expected scalar, avx2, avx2_vnni, avx512 "
                                       "or amx, got \"avx3\""));
}

TEST_F(Quantize, ReportsErrors) {
  scratch_.file("text", "no model\n");
  const struct {
    std::vector<std::string> args;
    int status;
    std::string message;
  } cases[] = {
      {{"quantize", "-m", "model"}, 2, "--output"},
      {{"quantize", "-m", "model", "-o", "x", "--precision", "int4"},
       2,
       "has no int4; expected int8"},
      {{"quantize", "-m", "none", "-o", "x"}, 1, "none: cannot be opened"},
      {{"quantize", "-m", "text", "-o", "x"}, 1, "text:"},
      {{"quantize", "-m", "model", "-o", "no/folder/x"}, 1, "no/folder/x"},
      {{"translate", "-m", "model", "--precision", "int4"}, 2, "has no int4; expected int8"},
  };
  for (const auto& c : cases) {
    const ProcessResult result = run(c.args);
    EXPECT_EQ(result.status, c.status) << c.message;
    EXPECT_THAT(result.errors, HasSubstr(c.message));
    EXPECT_FALSE(std::filesystem::exists(scratch_.path("x")));
  }
}

}  // namespace
}  // namespace weft::test
