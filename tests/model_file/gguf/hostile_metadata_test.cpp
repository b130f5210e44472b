// GGUF files with one damaged value of their metadata: each is loaded, or refused by an error that
// names the file.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/damage.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/formats/gguf.h"
#include "weft/formats/gguf_writer.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr int kDamages = 300;

void load_any_kind(const std::string& path) {
  GgufModel model(path);
  if (model.kind() == EmbedderSession::kKind) {
    const auto session = model.load<EmbedderSession>();
    session.tokeniser->encode("A text \xE4\xB8\xAD.");
  } else {
    model.load<LanguageModelSession>();
  }
}

class HostileMetadata : public testing::TestWithParam<const char*> {};

TEST_P(HostileMetadata, IsReadOrRefusedByName) {
  const std::string golden =
      test::source_path("tests/golden/" + std::string(GetParam()) + "/model.gguf");
  ASSERT_NO_THROW(load_any_kind(golden));
  const std::string bytes = test::read_bytes(golden);
  const formats::GgufContents contents = formats::parse_gguf("golden", bytes);
  const GgufTensors read(golden);
  std::vector<formats::GgufTensorToWrite> tensors;
  for (const std::string& name : read.names()) tensors.push_back({name, read.float32(name)});
  const test::Scratch scratch;
  const std::string path = scratch.path("model.gguf");
  test::Numbers numbers(1);
  int loaded = 0, refused = 0, unwritten = 0;
  for (int i = 0; i < kDamages; ++i) {
    SCOPED_TRACE(i);
    nlohmann::ordered_json metadata = contents.metadata;
    test::damage(metadata, numbers);
    try {
      formats::save_gguf(path, metadata, tensors);
    } catch (const FormatError&) {
      ++unwritten;  // GGUF has no such value
      continue;
    }
    try {
      load_any_kind(path);
      ++loaded;
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find(path), 0) << error.what();
    }
  }
  EXPECT_GT(loaded, kDamages / 20);
  EXPECT_GT(refused, kDamages / 20);
  EXPECT_LT(unwritten, kDamages / 2);
}

INSTANTIATE_TEST_SUITE_P(Models, HostileMetadata,
                         testing::Values("encoders/bert", "language_models/gemma3",
                                         "language_models/gpt2", "language_models/llama",
                                         "language_models/llama3", "language_models/qwen2",
                                         "language_models/qwen3"),
                         [](const auto& named) {
                           const std::string name = named.param;
                           return name.substr(name.find('/') + 1);
                         });

}  // namespace
}  // namespace weft::model_file
