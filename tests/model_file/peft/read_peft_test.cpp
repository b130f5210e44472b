#include "weft/model_file/peft/read_peft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/model_file/peft/peft_folder.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/model_file/any_adapter.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/logits.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

// The model with the adapter of a folder.
LanguageModelSession with_adapter(LanguageModelSession session, const PeftFolder& folder) {
  const Adapter adapter = read_peft(folder.path(), session);
  attach(nn::parameters_of(session.model), adapter, folder.path());
  return session;
}

TEST(ReadPeft, GivesTheLogitsOfPeft) {
  for (const auto& [name, base] : kGoldenAdapters) {
    const PeftFolder folder(name);
    const LanguageModelSession session = LanguageModelFolder(base).read();
    const std::string logits = folder.path("logits.safetensors");
    EXPECT_GT(largest_logit_difference(session, logits), 0.1) << name;
    EXPECT_LT(largest_logit_difference(with_adapter(session, folder), logits), 1e-5) << name;
  }
}

TEST(ReadPeft, HasTheOptionsOfPeft) {
  LanguageModelSession session = LanguageModelFolder("llama").read();
  const PeftFolder folder("llama");
  const Adapter adapter = read_peft(folder.path(), session);
  EXPECT_EQ(adapter.options.rank, 3);
  EXPECT_EQ(adapter.options.alpha, 5);
  EXPECT_EQ(adapter.options.dropout, 0.1);
  EXPECT_EQ(adapter.options.base_checksum, "");
  EXPECT_EQ(adapter.updates.size(), 2 * 7U);
  EXPECT_EQ(adapter.updates.front().weight, "model.decoder.layers.0.self_attn.q_proj.weight");
}

TEST(ReadPeft, ReadsAdaptersOfModelsFromGguf) {
  const LanguageModelFolder base("llama");
  const PeftFolder folder("llama");
  LanguageModelSession session = base.read();
  auto other = GgufModel(base.path("model.gguf")).load<LanguageModelSession>();
  expect_same_updates(read_peft(folder.path(), other), read_peft(folder.path(), session));
}

TEST(ReadPeft, IsAnyAdapterOfAModel) {
  const PeftFolder folder("llama");
  LanguageModelSession session = LanguageModelFolder("llama").read();
  attach_adapter(session, folder.path());
  EXPECT_LT(largest_logit_difference(session, folder.path("logits.safetensors")), 1e-5);
}

// As PEFT wrote them before version 0.3.
TEST(ReadPeft, ReadsOlderNames) {
  LanguageModelSession session = LanguageModelFolder("llama").read();
  const PeftFolder folder("llama");
  const Adapter adapter = read_peft(folder.path(), session);
  formats::NamedTensors tensors = folder.tensors();
  for (auto& [name, tensor] : tensors) name.insert(name.size() - 7, ".default");
  folder.tensors(tensors);
  expect_same_updates(read_peft(folder.path(), session), adapter);
}

TEST(ReadPeft, ReadsPickledWeights) {
  const PeftFolder folder("llama");
  LanguageModelSession session = LanguageModelFolder("llama").read();
  const Adapter expected = read_peft(folder.path(), session);
  const std::string pickled = folder.path("adapter_model.bin");
  std::filesystem::rename(folder.path("adapter_model.safetensors"), pickled);
  EXPECT_EQ(test::message_of<FormatError>([&] {
              read_peft(folder.path(), session);
            }).find(pickled + ": no zip archive"),
            0);
  std::filesystem::copy(test::source_path("tests/golden/torch/adapter.bin"), pickled,
                        std::filesystem::copy_options::overwrite_existing);
  expect_same_updates(read_peft(folder.path(), session), expected);
}

TEST(ReadPeft, IsOfFoldersWithASettingsFile) {
  const PeftFolder folder("llama");
  EXPECT_TRUE(is_peft_folder(folder.path()));
  EXPECT_FALSE(is_peft_folder(folder.path("adapter_config.json")));
  EXPECT_FALSE(is_peft_folder(folder.path("missing")));
  EXPECT_FALSE(is_peft_folder(LanguageModelFolder("llama").path()));
}

// The change of the tensors of an adapter.
using Change = std::function<void(std::map<std::string, Tensor>& tensors)>;

TEST(ReadPeft, ReportsTheTensor) {
  const std::string layer = "base_model.model.model.layers.0.", q = layer + "self_attn.q_proj";
  const Tensor two = Tensor::full({2, 2}, 1);
  const auto set = [](const std::string& name, const Tensor& value) -> Change {
    return [=](auto& tensors) { tensors[name] = value; };
  };
  const auto update = [&](const std::string& module) -> Change {
    return [=](auto& tensors) {
      tensors["base_model.model." + module + ".lora_A.weight"] = two;
      tensors["base_model.model." + module + ".lora_B.weight"] = two;
    };
  };
  const std::pair<Change, const char*> cases[] = {
      {[&](auto& tensors) { tensors.erase(q + ".lora_A.weight"); },
       "no tensor of lora_A of module 'model.layers.0.self_attn.q_proj'"},
      {[](auto& tensors) {
         tensors = {{"base_model.model.x", Tensor::full({2}, 1)}};
       },
       "tensor 'base_model.model.x' is no matrix of an update"},
      {set(layer + "embed_tokens.lora_embedding_A", two), "of an update of an embedding"},
      {update("model.layers.2.self_attn.q_proj"),
       "an update of 'model.layers.2.self_attn.q_proj'; expected one of a linear map of the model; "
       "it was trained on 'llama'"},
      {update("lm_head"), "an update of 'lm_head'; expected one of a linear map"},
      {update("model.norm"), "an update of 'model.norm'; expected one of a linear map"},
      {set(q + ".lora_A.weight", Tensor::full({3, 15}, 1)),
       "tensor 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight' has the wrong "
       "shape; expected [3, 16], got [3, 15]; it was trained on 'llama'"},
      {set(q + ".lora_A.weight", Tensor::full({4, 16}, 1)), "expected [3, 16], got [4, 16]"},
      {set(q + ".lora_A.weight", Tensor::full({48}, 1)), "expected [3, 16], got [48]"},
      {set(q + ".lora_B.weight", Tensor::full({3, 16}, 1)), "expected [16, 3], got [3, 16]"},
      {set(q + ".lora_B.weight", Tensor::zeros({16, 3}, DType::kI32)),
       "lora_B.weight' is I32; expected F32, F16 or BF16"},
  };
  LanguageModelSession session = LanguageModelFolder("llama").read();
  for (const auto& [change, expected] : cases) {
    const PeftFolder folder("llama");
    const formats::NamedTensors before = folder.tensors();
    std::map<std::string, Tensor> tensors(before.begin(), before.end());
    change(tensors);
    folder.tensors({tensors.begin(), tensors.end()});
    EXPECT_THAT(test::message_of<FormatError>([&] { read_peft(folder.path(), session); }),
                testing::AllOf(HasSubstr("adapter_model.safetensors: "), HasSubstr(expected)));
  }
}

TEST(ReadPeft, ReportsTheField) {
  const std::tuple<const char*, Json, const char*> cases[] = {
      {"use_dora", true, "adapter_config.json: field 'use_dora' is not supported"},
      {"r", 2, "down_proj.lora_A.weight' has the wrong shape; expected [2, 20], got [3, 20]"},
      {"rank_pattern", {{"up_proj", 2}}, "up_proj.lora_A.weight' has the wrong shape; expected [2"},
      {"target_modules",
       {"q_proj"},
       "adapter_model.safetensors: an update of 'model.layers.0.mlp.down_proj', which is none of "
       "'target_modules' in adapter_config.json"},
      {"target_modules",
       {"proj", "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"},
       "adapter_config.json: field 'target_modules': 'proj' is no module of the model"},
  };
  LanguageModelSession session = LanguageModelFolder("llama").read();
  for (const auto& [field, value, expected] : cases) {
    const PeftFolder folder("llama");
    Json config = folder.config();
    config[field] = value;
    folder.config(config);
    EXPECT_THAT(test::message_of<FormatError>([&] { read_peft(folder.path(), session); }),
                HasSubstr(expected))
        << field;
  }
}

TEST(ReadPeft, ReportsTheFile) {
  LanguageModelSession session = LanguageModelFolder("llama").read();
  const auto message = [&](const PeftFolder& folder) {
    return test::message_of<FileError>([&] { read_peft(folder.path(), session); });
  };
  const PeftFolder folder("llama");
  std::filesystem::rename(folder.path("adapter_model.safetensors"), folder.path("other"));
  EXPECT_THAT(message(folder), HasSubstr("adapter_model.safetensors: cannot be opened"));
  std::filesystem::remove(folder.path("adapter_config.json"));
  EXPECT_THAT(message(folder), HasSubstr("adapter_config.json: cannot be opened"));
}

TEST(ReadPeft, IsOfItsModel) {
  const PeftFolder folder("llama");
  LanguageModelSession session = LanguageModelFolder("gpt2").read();
  EXPECT_THAT(test::message_of<FormatError>([&] { read_peft(folder.path(), session); }),
              HasSubstr("an update of 'model.layers.0.mlp.down_proj'; expected one of a linear map "
                        "of the model; it was trained on 'llama'"));
}

}  // namespace
}  // namespace weft::model_file
