// Tokenisers of real models, which scripts/fetch-models fetches into $WEFT_MODELS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "tests/support/scratch.h"
#include "weft/data/subwords/gguf_fields.h"
#include "weft/data/subwords/subword_tokeniser.h"
#include "weft/formats/gguf.h"

namespace weft::data {
namespace {

std::string models_folder() {
  const char* given = std::getenv("WEFT_MODELS");
  return given != nullptr ? given : "";
}

SubwordTokeniserPtr gguf_tokeniser(const std::string& path) {
  return load_gguf_tokeniser(formats::parse_gguf(path, test::read_bytes(path)).metadata, path);
}

// Texts of a file ggml-vocab-NAME.gguf.inp.
std::vector<std::string> texts_in(const std::string& path) {
  constexpr std::string_view kBetween = "\n__ggml_vocab_test__\n";
  const std::string bytes = test::read_bytes(path);
  std::vector<std::string> out;
  size_t from = 0;
  for (size_t end; (end = bytes.find(kBetween, from)) != bytes.npos; from = end + kBetween.size()) {
    out.push_back(bytes.substr(from, end - from));
  }
  return out;  // the last separator ends the file
}

TEST(RealVocabularies, GiveTheIdsThatLlamaCppExpects) {
  const std::filesystem::path folder = models_folder() + "/llama-cpp";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no models in $WEFT_MODELS";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".gguf") || !std::filesystem::exists(path + ".out")) continue;
    SCOPED_TRACE(path);
    const SubwordTokeniserPtr tokeniser = gguf_tokeniser(path);
    std::istringstream expected(test::read_bytes(path + ".out"));
    for (const std::string& text : texts_in(path + ".inp")) {
      std::string line;
      ASSERT_TRUE(std::getline(expected, line));
      std::istringstream numbers(line);
      const std::vector<int32_t> ids{std::istream_iterator<int32_t>(numbers), {}};
      EXPECT_EQ(tokeniser->encode(text), ids) << text;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 15);
}

TEST(RealVocabularies, EncodeAndDecodeSmolLm2) {
  const std::string path = models_folder() + "/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no models in $WEFT_MODELS";
  const SubwordTokeniserPtr tokeniser = gguf_tokeniser(path);
  EXPECT_EQ(tokeniser->size(), 49152);
  const std::string text = "<|im_start|>user\nIt's 2048 \xF0\x9F\xA6\x99!<|im_end|>\n";
  const std::vector<int32_t> ids = tokeniser->encode(text, {.parse_special = true}).ids;
  EXPECT_EQ(ids.front(), tokeniser->begin_id());
  EXPECT_EQ(ids[ids.size() - 2], tokeniser->end_id());
  EXPECT_EQ(tokeniser->decode(ids, true), text);
  EXPECT_EQ(std::ranges::count(tokeniser->encode(text), tokeniser->end_id()), 0);
}

TEST(RealVocabularies, ComeBackFromTheFieldsOfGguf) {
  const std::filesystem::path folder = models_folder() + "/llama-cpp";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no models in $WEFT_MODELS";
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".gguf")) continue;
    SCOPED_TRACE(path);
    const std::string bytes = test::read_bytes(path);
    const auto metadata = formats::parse_gguf(path, bytes).metadata;
    const std::string model = metadata.at("tokenizer.ggml.model");
    if (model != "gpt2" && model != "llama") continue;
    const SubwordTokeniserPtr tokeniser = load_gguf_tokeniser(metadata, path);
    const std::vector<int64_t> ends(tokeniser->end_ids().begin(), tokeniser->end_ids().end());
    const TokenRoles roles{
        .size = tokeniser->size(), .begin_id = std::max(tokeniser->begin_id(), 0), .end_ids = ends};
    const TokenizerDocument before = parse_tokenizer_json(tokeniser->serialise(), path);
    const auto back = load_gguf_tokeniser(gguf_tokeniser_fields(before, roles), path);
    const TokenizerDocument after = parse_tokenizer_json(back->serialise(), path);
    EXPECT_EQ(after.merges, before.merges);
    for (const char* node : {"added_tokens", "normalizer", "pre_tokenizer", "model"}) {
      EXPECT_EQ(after.nodes.value(node, DocumentJson()), before.nodes.value(node, DocumentJson()));
    }
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace weft::data
