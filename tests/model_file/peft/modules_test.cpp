#include "weft/model_file/peft/modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::model_file {
namespace {

using testing::Contains;
using testing::ElementsAre;

TEST(PeftModules, AreNamedAsInTransformers) {
  LanguageModelSession session = small_language_model("false");
  const PeftModules modules(session);
  for (const char* name : {"model.embed_tokens", "model.layers.0.input_layernorm", "lm_head"}) {
    EXPECT_THAT(modules.names(), Contains(name));
    EXPECT_FALSE(modules.linear_maps().contains(name));
  }
  EXPECT_EQ(modules.linear_maps().size(), 2 * 7U);
  const MappedTensor& map = modules.linear_maps().at("model.layers.1.mlp.down_proj");
  ASSERT_EQ(map.parts.size(), 1U);
  EXPECT_EQ(map.parts.front().name, "model.decoder.layers.1.fc2.weight");
}

TEST(PeftModules, AreThoseOfAModelOfTransformers) {
  LanguageModelSession session = small_language_model("true");  // with a bias of the output
  EXPECT_THAT(test::message_of<OptionError>([&] { const PeftModules modules(session); }),
              testing::HasSubstr("model: is no language model of Transformers"));
}

TEST(PeftModules, HaveCommonEnds) {
  const std::vector<std::string> all = {"0.attn.proj", "0.mlp.proj", "1.attn.proj",
                                        "1.mlp.proj",  "1.mlp.up",   "head"};
  EXPECT_THAT(common_ends({"0.attn.proj", "0.mlp.proj", "1.attn.proj", "1.mlp.proj"}, all),
              ElementsAre("proj"));
  EXPECT_THAT(common_ends({"0.attn.proj", "1.attn.proj", "1.mlp.up"}, all),
              ElementsAre("attn.proj", "up"));
  EXPECT_THAT(common_ends({"1.attn.proj", "head"}, all), ElementsAre("1.attn.proj", "head"));
}

}  // namespace
}  // namespace weft::model_file
