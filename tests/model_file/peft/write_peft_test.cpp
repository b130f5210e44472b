#include "weft/model_file/peft/write_peft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model_file/peft/peft_folder.h"
#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/options/json.h"

namespace weft::model_file {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Random updates of these ranks.
Adapter random_adapter(LanguageModelSession& session,
                       const std::vector<nn::LowRankTarget>& targets) {
  const ModelParameters parameters = nn::parameters_of(session.model);
  Adapter out;
  out.options = {
      .rank = 2, .alpha = 3, .dropout = 0.25, .base_checksum = base_checksum(parameters)};
  uint64_t stream = 1;
  for (const auto& [name, p] : parameters) {
    for (const nn::LowRankTarget& target : targets) {
      if (!name.ends_with(target.name + ".weight")) continue;
      const Shape& shape = p->shape;
      out.updates.push_back(
          {name, test::random_tensor({target.rank, shape.cols()}, stream++, DType::kF32),
           test::random_tensor({shape.rows(), target.rank}, stream++, DType::kF32)});
    }
  }
  return out;
}

Json written_config(const std::string& folder) {
  return Json::parse(test::read_bytes(folder + "/adapter_config.json"));
}

TEST(WritePeft, RoundTrips) {
  const test::Scratch scratch;
  for (const auto& [name, base] : kGoldenAdapters) {
    LanguageModelSession session = LanguageModelFolder(base).read();
    const PeftFolder folder(name);
    const Adapter adapter = read_peft(folder.path(), session);
    write_peft(scratch.path(name), adapter, session, "org/base");
    const Adapter again = read_peft(scratch.path(name), session);
    expect_same_updates(again, adapter);
    EXPECT_EQ(options::options_to_json(again.options), options::options_to_json(adapter.options));
    EXPECT_EQ(written_config(scratch.path(name)).at("base_model_name_or_path"), "org/base");
  }
}

TEST(WritePeft, WritesTheTensorsOfPeft) {
  const test::Scratch scratch;
  for (const auto& [name, base] : {kGoldenAdapters[0], kGoldenAdapters[2]}) {
    LanguageModelSession session = LanguageModelFolder(base).read();
    const PeftFolder folder(name);
    write_peft(scratch.path(name), read_peft(folder.path(), session), session, base);
    const formats::SafetensorsFile written(scratch.path(name) + "/adapter_model.safetensors");
    EXPECT_EQ(written.names().size(), folder.tensors().size());
    for (const auto& [tensor, value] : folder.tensors()) {
      EXPECT_TRUE(test::same_bits(written.tensor(tensor), value)) << tensor;
    }
  }
}

TEST(WritePeft, StacksUpdatesOfOneModule) {
  const test::Scratch scratch;
  LanguageModelSession session = LanguageModelFolder("gpt2").read();
  const Adapter adapter =
      random_adapter(session, {{"q_proj", 2}, {"v_proj", 3}, {"0.self_attn.out_proj", 2}});
  write_peft(scratch.path("new"), adapter, session, "gpt2");
  const Adapter again = read_peft(scratch.path("new"), session);
  expect_same_updates(again, adapter);
  EXPECT_EQ(options::options_to_json(again.options), options::options_to_json(adapter.options));
  const Json config = written_config(scratch.path("new"));
  EXPECT_EQ(config.at("rank_pattern"), Json({{"c_attn", 5}}));
  EXPECT_EQ(config.at("alpha_pattern"), Json({{"c_attn", 7.5}}));
  EXPECT_EQ(config.at("target_modules"), Json({"0.attn.c_proj", "c_attn"}));
  EXPECT_EQ(config.at("fan_in_fan_out"), true);
  EXPECT_EQ(config.at("lora_alpha"), 3);
}

TEST(WritePeft, KeepsTheChecksumOfTheModel) {
  const test::Scratch scratch;
  LanguageModelSession session = LanguageModelFolder("llama").read();
  const Adapter adapter = random_adapter(session, {{"q_proj", 2}});
  write_peft(scratch.path("new"), adapter, session, "llama");
  EXPECT_EQ(read_peft(scratch.path("new"), session).options.base_checksum,
            adapter.options.base_checksum);
  const ModelParameters parameters = nn::parameters_of(session.model);
  parameters.back().parameter->value.data<float>()[0] += 1;
  EXPECT_THAT(test::message_of<FormatError>([&] { read_peft(scratch.path("new"), session); }),
              HasSubstr("it was trained on another model"));
}

TEST(WritePeft, WritesAllOrNothing) {
  const test::Scratch scratch;
  LanguageModelSession session = LanguageModelFolder("llama").read();
  const Adapter adapter = random_adapter(session, {{"q_proj", 2}, {"fc1", 2}});
  LanguageModelSession other = LanguageModelFolder("gpt2").read();
  EXPECT_THAT(test::message_of<FormatError>(
                  [&] { write_peft(scratch.path("new"), adapter, other, "gpt2"); }),
              HasSubstr("new: base-checksum"));
  EXPECT_THAT(scratch.names(), IsEmpty());
  scratch.file("full", "text");
  EXPECT_THAT(test::message_of<FileError>(
                  [&] { write_peft(scratch.path("full"), adapter, session, "llama"); }),
              HasSubstr("full: exists; expected the name of a new or an empty folder"));
  EXPECT_THAT(scratch.names(), ElementsAre("full"));
}

}  // namespace
}  // namespace weft::model_file
