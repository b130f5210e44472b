#include "weft/model_file/peft/tensor_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::model_file {
namespace {

TEST(PeftTensorNames, AreGroupedByModule) {
  const PeftNames names = peft_names("h.0.attn");
  EXPECT_EQ(names.down, "base_model.model.h.0.attn.lora_A.weight");
  EXPECT_EQ(names.up, "base_model.model.h.0.attn.lora_B.weight");
  const std::string older = "base_model.model.x.lora_B.default.weight";
  const auto found =
      find_updates({names.up, older, names.down, "base_model.model.x.lora_A.weight"}, "f");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at("h.0.attn").down, names.down);
  EXPECT_EQ(found.at("h.0.attn").up, names.up);
  EXPECT_EQ(found.at("x").up, older);
}

TEST(PeftTensorNames, ReportTheTensor) {
  const std::string a = "base_model.model.x.lora_A.weight";
  const std::string b = "base_model.model.x.lora_B.weight";
  const std::string other = "is no matrix of an update of a linear map";
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{}, "f: no updates; expected at least one"},
      {{a}, "f: no tensor of lora_B of module 'x'"},
      {{b}, "f: no tensor of lora_A of module 'x'"},
      {{a, b, "base_model.model.x.lora_A.default.weight"},
       "f: two tensors of lora_A of module 'x'"},
      {{a, b, "x.lora_A.weight"}, "tensor 'x.lora_A.weight' " + other},
      {{"base_model.model.lora_A.weight"}, "tensor 'base_model.model.lora_A.weight' " + other},
      {{"base_model.model.x.lora_A.other.weight"}, other},
      {{"base_model.model.x.lora_B.bias"}, other},
      {{"base_model.model.x.lora_embedding_A"}, "is of an update of an embedding"},
      {{"base_model.model.x.lora_magnitude_vector.weight"}, "is of an update by DoRA"},
      {{"base_model.model.lm_head.weight"}, other},
  };
  for (const auto& [tensors, expected] : cases) {
    EXPECT_THAT(test::message_of<FormatError>([&] { find_updates(tensors, "f"); }),
                testing::HasSubstr(expected));
  }
}

}  // namespace
}  // namespace weft::model_file
