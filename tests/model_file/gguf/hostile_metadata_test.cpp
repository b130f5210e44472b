// GGUF files with one damaged value of their metadata, or a damaged byte in their list of
// tensors: each is loaded, or refused by an error that names the file.
#include <gtest/gtest.h>

#include <algorithm>
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

// Whether the file is loaded.
bool is_loaded(const std::string& path) {
  try {
    load_any_kind(path);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find(path), 0) << error.what();
    return false;
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
    ++(is_loaded(path) ? loaded : refused);
  }
  EXPECT_GT(loaded, kDamages / 20);
  EXPECT_GT(refused, kDamages / 20);
  EXPECT_LT(unwritten, kDamages / 2);
}

// Names, shapes, types and offsets.
TEST_P(HostileMetadata, WithADamagedListOfTensorsIsReadOrRefused) {
  const std::string bytes = test::read_bytes(
      test::source_path("tests/golden/" + std::string(GetParam()) + "/model.gguf"));
  const formats::GgufContents contents = formats::parse_gguf("golden", bytes);
  const size_t begin = bytes.find(contents.tensors.front().name);
  size_t end = bytes.size();
  for (const formats::GgufTensor& tensor : contents.tensors) {
    end = std::min(end, static_cast<size_t>(tensor.data.data() - bytes.data()));
  }
  ASSERT_LT(begin, end);
  const test::Scratch scratch;
  test::Numbers numbers(2);
  int refused = 0;
  for (int i = 0; i < kDamages; ++i) {
    SCOPED_TRACE(i);
    std::string damaged = bytes;
    const bool is_small = numbers.below(2) == 0;  // as types and sizes are
    damaged[begin + numbers.below(end - begin)] =
        static_cast<char>(numbers.below(is_small ? 32 : 256));
    refused += is_loaded(scratch.file("model.gguf", damaged)) ? 0 : 1;
  }
  EXPECT_GT(refused, kDamages / 2);
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
