#include "weft/model_file/embedder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/small_embedder.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/formats/safetensors.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EmbedderFile : public testing::Test {
 protected:
  EmbedderFile() {
    session_.prompts = {{"query", "document"}, {"find: ", ""}, "document"};
    session_.similarity = "dot";
    session_.max_length = 5;
    save(path_, session_, session_.parameters);
  }
  // The error of a file whose options have `to` in place of `from`.
  std::string error_with(const std::string& from, const std::string& to) const {
    const formats::SafetensorsFile file(path_);
    formats::NamedTensors tensors;
    for (const std::string& name : file.names()) tensors.emplace_back(name, file.tensor(name));
    auto metadata = file.metadata();
    std::string& options = metadata["weft.options"];
    const size_t place = options.find(from);
    if (place == std::string::npos) return "no such option: " + options;
    options.replace(place, from.size(), to);
    const std::string changed = folder_.path("changed");
    formats::save_safetensors(changed, tensors, metadata, file.aliases(),
                              formats::WithChecksum::kYes);
    return test::message_of<FormatError>([&] { load<EmbedderSession>(changed); });
  }

  test::Scratch folder_;
  std::string path_ = folder_.path("model.safetensors");
  EmbedderSession session_ = small_embedder("--dense-sizes 6 --pooling weighted-mean");
};

TEST_F(EmbedderFile, ComesBackAsItWas) {
  const EmbedderSession loaded = load<EmbedderSession>(path_);
  EXPECT_TRUE(test::same_bits(loaded.parameters, session_.parameters));
  EXPECT_EQ(loaded.contents().options, session_.contents().options);
  EXPECT_THAT(loaded.prompts.texts, ElementsAre("find: ", ""));
  EXPECT_EQ(*loaded.prompts.find("query"), "find: ");
  EXPECT_EQ(loaded.prompts.find("other"), nullptr);
  EXPECT_EQ(loaded.similarity, "dot");
  EXPECT_EQ(loaded.max_length, 5);
  EXPECT_EQ(loaded.tokeniser->encode("w1 w2"), session_.tokeniser->encode("w1 w2"));
}

TEST_F(EmbedderFile, IsRounded) {
  const std::string small = folder_.path("small");
  save_rounded(small, session_, Precision::kInt8);
  const EmbedderSession loaded = load_packed<EmbedderSession>(small, Precision::kStored);
  EXPECT_TRUE(loaded.model.dense.front().weight.packed);
}

TEST_F(EmbedderFile, RefusesWhatDoesNotFit) {
  EXPECT_THAT(error_with(R"(["find: ",""])", R"(["find: "])"),
              HasSubstr("prompt-names of 2 names and prompt-texts of 1; expected as many"));
  EXPECT_THAT(error_with(R"(["query","document"])", R"(["query","query"])"),
              HasSubstr("prompt 'query' is there twice"));
  EXPECT_THAT(error_with(R"("default-prompt":"document")", R"("default-prompt":"other")"),
              HasSubstr("default-prompt 'other' is none of its prompts"));
  EXPECT_THAT(error_with(R"("similarity":"dot")", R"("similarity":"other")"),
              HasSubstr("similarity"));
  EXPECT_THAT(error_with(R"("vocab-size":)", R"("vocab-size":1)"),
              HasSubstr("has the wrong shape"));
  EXPECT_THAT(error_with(R"("embedder")", R"("other")"), HasSubstr("is a model of type 'other'"));
}

}  // namespace
}  // namespace weft::model_file
