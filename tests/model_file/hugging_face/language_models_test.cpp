// Language models against Transformers: tools/golden/language_models.py made the folders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tests/model_file/language_model_folder.h"
#include "tests/model_file/small_language_model.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/hugging_face/logits.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

constexpr const char* kLanguageModels[] = {"llama", "llama3",        "mistral",
                                           "qwen2", "qwen3",         "gemma3",
                                           "gpt2",  "gemma3_scaled", "qwen2_window"};

void expect_same_tensors_in(const std::string& path, const std::string& other) {
  const formats::SafetensorsFile x(path), y(other);
  EXPECT_EQ(x.names().size(), y.names().size());
  for (const std::string& name : x.names()) {
    ASSERT_TRUE(y.has(name)) << name;
    ASSERT_EQ(x.shape(name), y.shape(name)) << name;
    const Tensor a = x.tensor(name), b = y.tensor(name);
    EXPECT_EQ(std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.size()) * 4), 0) << name;
  }
}

TEST(LanguageModels, GiveTheLogitsOfTransformers) {
  for (const char* name : kLanguageModels) {
    const LanguageModelFolder folder(name);
    const LanguageModelSession session = folder.read();
    EXPECT_LT(largest_logit_difference(session, folder.path("logits.safetensors")), 1e-5) << name;
  }
}

TEST(LanguageModels, RoundTrip) {
  for (const char* name : kLanguageModels) {
    SCOPED_TRACE(name);
    const LanguageModelFolder folder(name);
    LanguageModelSession session = folder.read();
    write_hugging_face(folder.path("hf"), session);
    expect_same_tensors_in(folder.path("hf/model.safetensors"), folder.path("model.safetensors"));
    auto again = HuggingFaceModel(folder.path("hf")).load<LanguageModelSession>();
    save(folder.path("one"), session, session.parameters);
    save(folder.path("two"), again, again.parameters);
    EXPECT_EQ(test::read_bytes(folder.path("one")), test::read_bytes(folder.path("two")));
    EXPECT_EQ(load<LanguageModelSession>(folder.path("one")).contents().options,
              session.contents().options);
    const Json before = Json::parse(test::read_bytes(folder.path("config.json")));
    const Json after = Json::parse(test::read_bytes(folder.path("hf/config.json")));
    EXPECT_EQ(after.at("model_type"), before.at("model_type"));
    EXPECT_EQ(after.at("eos_token_id"), before.at("eos_token_id"));
  }
}

TEST(LanguageModels, ReadWhatTheOptionsOfTheirFieldsAre) {
  const LanguageModelFolder folder("llama3");
  const LanguageModelSession session = folder.read();
  EXPECT_THAT(session.model.dims.end_ids, testing::ElementsAre(0, 5));
  EXPECT_EQ(session.model.dims.begin_id, 2);
  EXPECT_EQ(session.model.options.context(), 32);
  EXPECT_TRUE(session.adds_begin);
  folder.file("generation_config.json", R"({"eos_token_id": [7, 0], "temperature": 0.7})");
  EXPECT_THAT(folder.read().model.dims.end_ids, testing::ElementsAre(7, 0));
}

// Of Llama 2, Qwen 2.5 and Gemma 3, and all that Transformers writes for older models.
TEST(LanguageModels, LeaveSamplingAndSearchToTheUser) {
  const LanguageModelFolder folder("llama3");
  for (const char* config : {
           R"({"_from_model_config": true, "bos_token_id": 2, "do_sample": true, "eos_token_id": 0,
               "pad_token_id": 0, "temperature": 0.6, "max_length": 4096, "top_p": 0.9,
               "transformers_version": "4.31.0"})",
           R"({"bos_token_id": 2, "pad_token_id": 1, "do_sample": true, "eos_token_id": [0, 5],
               "repetition_penalty": 1.1, "temperature": 0.7, "top_p": 0.8, "top_k": 20,
               "transformers_version": "4.37.0"})",
           R"({"cache_implementation": "hybrid", "top_k": 64, "bad_words_ids": null,
               "suppress_tokens": [], "guidance_scale": 1, "token_healing": false})"}) {
    folder.file("generation_config.json", config);
    EXPECT_NO_THROW(folder.read()) << config;
  }
}

TEST(LanguageModels, RefuseFieldsThatLimitOrForceTokens) {
  const LanguageModelFolder folder("llama");
  folder.file("generation_config.json", "{}");
  const std::tuple<const char*, Json, const char*> cases[] = {
      {"suppress_tokens", {1, 2}, "'suppress_tokens' is not supported as [1,2]; expected []"},
      {"begin_suppress_tokens", {1}, "'begin_suppress_tokens' is not supported as [1]"},
      {"bad_words_ids", Json::array({{7}}), "'bad_words_ids' is not supported as [[7]]"},
      {"sequence_bias", Json::array({{{7}, 2.5}}),
       "'sequence_bias' is not supported as [[[7],2.5]"},
      {"stop_strings", {"x"}, "'stop_strings' is not supported as [\"x\"]; expected []"},
      {"guidance_scale", 1.5, "'guidance_scale' is not supported as 1.5; expected 1.0"},
      {"forced_bos_token_id", 3, "field 'forced_bos_token_id' is not supported"},
      {"forced_eos_token_id", 3, "field 'forced_eos_token_id' is not supported"},
      {"bogus", 1, "field 'bogus' is not supported"},
  };
  for (const auto& [field, value, expected] : cases) {
    EXPECT_THAT(folder.message_with(field, value, "generation_config.json"),
                testing::AllOf(testing::StartsWith(folder.path("generation_config.json")),
                               HasSubstr(expected)));
  }
}

// Beside a tokenizer.json Transformers ignores them.
TEST(LanguageModels, ReadWhichSymbolsATokenizerModelAdds) {
  const LanguageModelFolder folder("llama");
  EXPECT_TRUE(folder.read().adds_begin);
  folder.file("tokenizer_config.json", R"({"add_bos_token": false, "add_eos_token": false})");
  LanguageModelSession session = folder.read();
  EXPECT_FALSE(session.adds_begin);
  write_hugging_face(folder.path("hf"), session);
  EXPECT_FALSE(HuggingFaceModel(folder.path("hf")).load<LanguageModelSession>().adds_begin);
  EXPECT_THAT(folder.message_with("add_eos_token", true, "tokenizer_config.json"),
              HasSubstr("'add_eos_token' is not supported as true; expected false"));
  EXPECT_THAT(folder.message_with("add_bos_token", 1, "tokenizer_config.json"),
              HasSubstr("'add_bos_token': expected true or false, got 1"));
  const data::TokeniserPtr tokeniser =
      GgufModel(folder.path("model.gguf")).load<LanguageModelSession>().tokeniser;
  folder.file("tokenizer.json", tokeniser->serialise());
  folder.file("tokenizer_config.json", R"({"add_bos_token": true, "add_eos_token": true})");
  EXPECT_FALSE(folder.read().adds_begin);
}

// As in the folders of GPT-2 on the Hub.
TEST(LanguageModels, ReadTensorsWithoutThePrefixOfTheBaseModel) {
  const LanguageModelFolder folder("gpt2");
  const formats::SafetensorsFile file(folder.path("model.safetensors"));
  formats::NamedTensors tensors;
  for (const std::string& name : file.names()) {
    tensors.emplace_back(name.substr(std::string_view("transformer.").size()), file.tensor(name));
  }
  formats::save_safetensors(folder.path("plain"), tensors);
  std::filesystem::rename(folder.path("plain"), folder.path("model.safetensors"));
  EXPECT_LT(largest_logit_difference(folder.read(), folder.path("logits.safetensors")), 1e-5);

  tensors.emplace_back("lm_head.weight", tensors.front().second);
  formats::save_safetensors(folder.path("model.safetensors"), tensors);
  EXPECT_THAT(test::message_of<FormatError>([&] { folder.read(); }),
              HasSubstr("'lm_head.weight' differs from 'wte.weight', to which it is tied"));
}

// As Transformers wrote them before version 5.
TEST(LanguageModels, ReadOlderFieldsOfRotaryPositions) {
  const LanguageModelFolder folder("llama3");
  Json fields = Json::parse(test::read_bytes(folder.path("config.json")));
  Json scaling = fields.at("rope_parameters");
  fields["rope_theta"] = scaling.at("rope_theta");
  scaling.erase("rope_theta");
  fields["rope_scaling"] = scaling;
  fields.erase("rope_parameters");
  folder.file("config.json", fields.dump());
  EXPECT_LT(largest_logit_difference(folder.read(), folder.path("logits.safetensors")), 1e-5);
}

TEST(LanguageModels, ReportTheField) {
  const std::tuple<const char*, const char*, Json, const char*> cases[] = {
      {"llama", "hidden_act", "tanh", "'hidden_act' is not supported as \"tanh\"; expected silu"},
      {"llama", "num_key_value_heads", 3, "--transformer-key-heads"},
      {"llama", "num_key_value_heads", "2", "'num_key_value_heads': expected a whole number"},
      {"llama", "hidden_size", 20, "has the wrong shape; expected [40, 20], got [40, 16]"},
      {"llama", "rms_norm_eps", 0, "field 'rms_norm_eps': norm-epsilon: out of range"},
      {"llama", "eos_token_id", 40, "end id 40; expected one below the vocabulary size 40"},
      {"llama", "eos_token_id", nullptr, "no end id; expected at least one"},
      {"llama", "eos_token_id", "x", "field 'eos_token_id'"},
      {"llama", "partial_rotary_factor", 0.5, "field 'partial_rotary_factor' is not supported"},
      {"llama", "architectures", {"LlamaModel"}, "expected [\"LlamaForCausalLM\"]"},
      {"llama", "tie_word_embeddings", false, "no tensor 'lm_head.weight'"},
      {"llama", "vocab_size", 35, "has the wrong shape; expected [35, 16]"},
      {"mistral", "sliding_window", "3", "'sliding_window': expected a whole number"},
      {"mistral", "sliding_window", 0, "'sliding_window': expected at least 1, got 0"},
      {"mistral", "attention_bias", true, "field 'attention_bias' is not supported"},
      {"qwen2", "use_sliding_window", 1, "'use_sliding_window': expected true or false, got 1"},
      {"qwen2", "layer_types", {"full_attention", "sliding_attention"}, "'layer_types' is not"},
      {"qwen2_window", "layer_types", {"full_attention"}, "for each of 3 layers"},
      {"qwen2_window", "sliding_window", nullptr, "no field 'sliding_window'"},
      {"gemma3", "layer_types", {"full_attention", 1, "full_attention"}, "for each of 3 layers"},
      {"gemma3", "sliding_window", 0, "'sliding_window': expected at least 1, got 0"},
      {"gemma3", "query_pre_attn_scalar", 0, "'query_pre_attn_scalar': expected a positive number"},
      {"gemma3", "num_key_value_heads", nullptr, "no field 'num_key_value_heads'"},
      {"gemma3", "use_bidirectional_attention", true, "is not supported as true; expected false"},
      {"gemma3", "attn_logit_softcapping", 30.0, "'attn_logit_softcapping' is not supported"},
      {"gemma3", "rope_parameters", Json::object(), "no field 'full_attention'"},
      {"gpt2", "scale_attn_by_inverse_layer_idx", true, "is not supported as true"},
      {"gpt2", "activation_function", "tanh", "'activation_function' is not supported"},
      {"gpt2", "n_inner", 24, "'transformer.h.0.mlp.c_fc.weight' has the wrong shape"},
  };
  for (const auto& [name, field, value, expected] : cases) {
    const LanguageModelFolder folder(name);
    EXPECT_THAT(folder.message_with(field, value), HasSubstr(expected)) << name << " " << field;
  }
}

TEST(LanguageModels, ReportTheFieldOfAScaling) {
  const std::pair<Json, const char*> cases[] = {
      {{{"rope_type", "dynamic"}, {"factor", 2}}, "'rope_type' is not supported as \"dynamic\""},
      {{{"type", "linear"}}, "field 'rope_parameters': no field 'factor'"},
      {{{"type", "linear"}, {"factor", 0.5}}, "field 'factor': rotary-factor: out of range"},
      {{{"type", "linear"}, {"rope_type", "yarn"}}, "field 'type' is not supported as \"linear\""},
      {{{"rope_type", "default"}, {"partial_rotary_factor", 0.5}}, "'partial_rotary_factor'"},
      {{{"rope_type", "default"}, {"mscale", 1}}, "field 'mscale' is not supported"},
      {"linear", "field 'rope_parameters': expected an object, got string"},
  };
  const LanguageModelFolder folder("llama");
  for (const auto& [value, expected] : cases) {
    EXPECT_THAT(folder.message_with("rope_parameters", value), HasSubstr(expected)) << value;
  }
}

// The text of a tokenizer.json whose post-processor adds special tokens.
std::string with_template(const std::string& tokenizer, const Json& single) {
  Json nodes = Json::parse(tokenizer);
  const Json added = {{"<end>", {{"id", "<end>"}, {"ids", {0}}, {"tokens", {"<end>"}}}},
                      {"<begin>", {{"id", "<begin>"}, {"ids", {2}}, {"tokens", {"<begin>"}}}}};
  nodes["post_processor"] = {{"type", "TemplateProcessing"},
                             {"single", single},
                             {"pair", single},
                             {"special_tokens", added}};
  return nodes.dump();
}

TEST(LanguageModels, ReadAndWriteTheirTokenizerJson) {
  const LanguageModelFolder folder("llama");
  const data::TokeniserPtr tokeniser =
      GgufModel(folder.path("model.gguf")).load<LanguageModelSession>().tokeniser;
  folder.file("tokenizer.json", tokeniser->serialise());
  LanguageModelSession session = folder.read();
  EXPECT_EQ(session.tokeniser->encode("abc xyz"), tokeniser->encode("abc xyz"));
  EXPECT_FALSE(session.adds_begin);
  write_hugging_face(folder.path("hf"), session);
  const std::string written = test::read_bytes(folder.path("hf/tokenizer.json"));
  EXPECT_EQ(written, tokeniser->file_bytes(false));
  // Transformers refuses fields that it does not know.
  EXPECT_FALSE(Json::parse(written).contains("special_tokens"));
  const auto again = HuggingFaceModel(folder.path("hf")).load<LanguageModelSession>();
  EXPECT_EQ(again.contents().options, session.contents().options);

  const Json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const Json begin = {{"SpecialToken", {{"id", "<begin>"}, {"type_id", 0}}}};
  const Json end = {{"SpecialToken", {{"id", "<end>"}, {"type_id", 0}}}};
  folder.file("tokenizer.json", with_template(tokeniser->serialise(), Json::array({begin, text})));
  EXPECT_TRUE(folder.read().adds_begin);
  folder.file("tokenizer.json", with_template(tokeniser->serialise(), Json::array({text, end})));
  EXPECT_THAT(
      test::message_of<FormatError>([&] { folder.read(); }),
      HasSubstr("tokenizer.json: its post-processor adds other tokens than a begin symbol"));
}

TEST(LanguageModels, AreRefusedWithoutTheirTokeniser) {
  const LanguageModelFolder folder("llama");
  std::filesystem::remove(folder.path("tokenizer.model"));
  EXPECT_THAT(test::message_of<FileError>([&] { folder.read(); }), HasSubstr("tokenizer.model"));
}

TEST(LanguageModels, AreRefusedWithOptionsThatTransformersDoesNotHave) {
  const std::pair<const char*, const char*> cases[] = {
      {"--position alibi", "--position: Llama models in Transformers support only \"rotary\""},
      {"--embedding-scale 2", "--embedding-scale: Llama models in Transformers support only 1"},
      {"--transformer-norm post", "--transformer-norm: Llama models"},
      {"--rotary-scaling ntk", "--rotary-scaling: ntk is not one of Transformers"},
      {"--transformer-dim-value 6", "--transformer-dim-value: is 6; in Transformers expected"},
  };
  const test::Scratch folder;
  const LanguageModelFolder from("llama");
  for (const auto& [flags, message] : cases) {
    LanguageModelSession session = from.read();
    test::set(session.model.options, flags);
    EXPECT_THAT(
        test::message_of<OptionError>([&] { write_hugging_face(folder.path("new"), session); }),
        HasSubstr(message))
        << flags;
    EXPECT_THAT(folder.names(), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace weft::model_file
