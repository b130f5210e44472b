#include "weft/inspect/summary/model_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/decode/small_session.h"
#include "tests/model_file/small_language_model.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/core/files/atomic_file.h"
#include "weft/data/text/text_file.h"

namespace weft::inspect {
namespace {

using model_file::TranslatorSession;
using testing::HasSubstr;

class ModelSummaryTest : public testing::Test {
 protected:
  ModelSummaryTest() {
    session_ = decode::small_session(decode::small_options());
    model_file::save(path_, session_, session_.parameters);
  }
  static ModelSummary summary_of(const std::string& path) {
    return summarise(path, model_file::load<TranslatorSession>(path));
  }
  ModelSummary summary() const { return summary_of(path_); }

  test::Scratch scratch_;
  std::string path_ = scratch_.path("model.safetensors");
  TranslatorSession session_;
};

TEST_F(ModelSummaryTest, CountsParametersByPart) {
  const ModelSummary found = summary();
  EXPECT_EQ(found.kind, "seq2seq");
  EXPECT_EQ(found.parameters(), session_.parameters.size());
  int64_t sum = 0, tensors = 0;
  std::vector<std::string> names;
  for (const PartSummary& part : found.parts) {
    sum += part.parameters;
    tensors += part.tensors;
    names.push_back(part.name);
  }
  EXPECT_EQ(sum, found.parameters());
  EXPECT_EQ(tensors, std::ssize(found.tensors));
  EXPECT_THAT(names, testing::IsSupersetOf({"model.encoder.layers.0", "model.encoder.layers.1",
                                            "model.decoder.layers.0", "lm_head"}));
  EXPECT_THAT(found.text(), HasSubstr("model.encoder.layers.0..1"));
}

TEST_F(ModelSummaryTest, NamesTheVocabularyThatAnotherShares) {
  const ModelSummary found = summary();
  ASSERT_EQ(found.vocabularies.size(), 2u);
  EXPECT_EQ(found.vocabularies[0].kind, "word");
  EXPECT_EQ(found.vocabularies[0].entries, 50);
  EXPECT_EQ(found.vocabularies[0].same_as + found.vocabularies[1].same_as, "vocab.source");
}

TEST_F(ModelSummaryTest, HasTheMemoryOfEachPrecision) {
  const ModelSummary before = summary();
  const std::string rounded = scratch_.path("int8.safetensors");
  model_file::save_rounded(rounded, session_, model_file::Precision::kInt8);
  const ModelSummary after = summary_of(rounded);
  int64_t bytes = 0, rounded_bytes = 0;
  for (const TensorSummary& tensor : before.tensors) bytes += tensor.bytes;
  for (const TensorSummary& tensor : after.tensors) rounded_bytes += tensor.bytes;
  EXPECT_EQ(before.memory.float32, bytes);
  EXPECT_EQ(before.memory.int8, rounded_bytes);
  EXPECT_EQ(after.memory.int8, rounded_bytes);
  EXPECT_EQ(before.memory.training, 4 * bytes);
  EXPECT_EQ(after.parameters(), before.parameters());
  EXPECT_THAT(after.text(), HasSubstr("I8"));
}

TEST(ModelSummaryOfBlocks, HasTheTypesAndShapesOfMatrices) {
  const test::Scratch folder;
  const std::string path = folder.path("model");
  model_file::save_rounded(path, model_file::small_language_model(), model_file::Precision::kInt8);
  const ModelSummary found =
      summarise(path, model_file::load<model_file::LanguageModelSession>(path));
  int64_t bytes = 0;
  for (const TensorSummary& tensor : found.tensors) bytes += tensor.bytes;
  EXPECT_EQ(found.memory.int8, bytes);
  EXPECT_EQ(found.tensors.front().type, "Q8_0");
  EXPECT_EQ(found.tensors.front().shape, (std::vector<int64_t>{40, 16}));
}

TEST_F(ModelSummaryTest, JsonHoldsAllOfIt) {
  const auto json = nlohmann::json::parse(summary().json());
  EXPECT_EQ(json["kind"], "seq2seq");
  EXPECT_EQ(json["checksum"].get<std::string>().size(), 16u);
  EXPECT_EQ(json["options"]["enc-depth"], 2);
  EXPECT_EQ(json["tensors"][0]["type"], "F32");
  EXPECT_FALSE(json.contains("training"));
}

TEST_F(ModelSummaryTest, RefusesADamagedFile) {
  std::string bytes = data::read_bytes(path_, Pipes::kRefused);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file(path_, bytes);
  EXPECT_THROW(summary(), FormatError);
}

TEST_F(ModelSummaryTest, SaysWhyATrainingStateCannotBeRead) {
  scratch_.file("model.training.safetensors", "garbage");
  const ModelSummary found = summary();
  EXPECT_THAT(found.training->fault.value_or(""), HasSubstr("model.training.safetensors"));
  EXPECT_THAT(found.text(), HasSubstr("training      cannot be read: "));
  EXPECT_TRUE(nlohmann::json::parse(found.json())["training"].contains("fault"));
}

}  // namespace
}  // namespace weft::inspect
