#include "weft/model_file/peft/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/model_file/foreign/fields.h"

namespace weft::model_file {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kQuery = "model.layers.1.self_attn.q_proj";

PeftConfig parsed(const Json& fields) {
  Json config = {{"peft_type", "LORA"}};
  config.update(fields);
  return parse_peft_config(config.dump(), "c");
}

std::string error_of(const Json& fields) {
  return test::message_of<FormatError>([&] { parsed(fields); });
}

TEST(PeftConfig, HasTheDefaultsOfPeft) {
  const PeftConfig config = parsed(Json::object());
  EXPECT_EQ(config.rank_of(kQuery), 8);
  EXPECT_EQ(config.scale_of(kQuery), 1);
  EXPECT_EQ(config.dropout, 0);
  EXPECT_TRUE(config.is_target(kQuery));
}

TEST(PeftConfig, ScalesByAlpha) {
  EXPECT_EQ(parsed({{"r", 4}, {"lora_alpha", 6.5}}).scale_of(kQuery), 6.5 / 4);
  EXPECT_EQ(parsed({{"r", 4}, {"lora_alpha", 6}, {"use_rslora", true}}).scale_of(kQuery), 3);
}

// As peft.utils.other.get_pattern_key.
TEST(PeftConfig, FindsTheFirstPatternThatFits) {
  const std::pair<const char*, bool> cases[] = {
      {"q_proj", true},
      {"proj", false},
      {"self_attn.q_proj", true},
      {"1.self_attn.q_proj", true},
      {"layers.1", false},
      {"model.layers.1.self_attn.q_proj", true},
      {"odel.layers.1.self_attn.q_proj", false},
      {"x.model.layers.1.self_attn.q_proj", false},
      {"self.attn.q_proj", true},  // "." is any character
      {"", false},
      {"^model.layers.1.self_attn.q_proj", true},
      {"^layers.1.self_attn.q_proj", false},
      {"k_proj|q_proj", true},
      {"k_proj|v_proj", false},
      {R"(layers\.[0-2]\.self_attn\..*)", true},
      {R"(layers\.[2-9]\.self_attn\..*)", false},
      {".*", true},
      {"q_proj$", true},
  };
  for (const auto& [pattern, fits] : cases) {
    const PeftConfig config = parsed({{"rank_pattern", {{pattern, 3}}}});
    EXPECT_EQ(config.rank_of(kQuery), fits ? 3 : 8) << pattern;
  }
  const PeftConfig config = parsed({{"rank_pattern", {{"v_proj", 1}, {".*", 2}, {"q_proj", 3}}},
                                    {"alpha_pattern", {{"q_proj", 5}}}});
  EXPECT_EQ(config.rank_of(kQuery), 2);
  EXPECT_EQ(config.scale_of(kQuery), 2.5);
}

// As peft.tuners.tuners_utils.check_target_module_exists.
TEST(PeftConfig, FindsTargets) {
  const std::pair<Json, bool> cases[] = {
      {nullptr, true},
      {"all-linear", true},
      {"All-Linear", true},
      {{"k_proj", "q_proj"}, true},
      {{"k_proj"}, false},
      {{"proj"}, false},
      {{"1.self_attn.q_proj"}, true},
      {{"self.attn.q_proj"}, false},
      {{"model.layers.1.self_attn.q_proj"}, true},
      {".*q_proj", true},
      {"q_proj", false},
      {"model.*proj|x", true},
      {"model", false},
  };
  for (const auto& [targets, fits] : cases) {
    EXPECT_EQ(parsed({{"target_modules", targets}}).is_target(kQuery), fits) << targets;
  }
}

TEST(PeftConfig, HasTargetsInTheModel) {
  const auto check = [](const Json& targets) {
    check_targets(parsed({{"target_modules", targets}}), {kQuery, "lm_head"}, "c");
  };
  for (const Json& good : {Json(nullptr), Json({"q_proj", "lm_head"}), Json(".*head")}) check(good);
  EXPECT_EQ(test::message_of<FormatError>([&] {
              check({"q_proj", "query"});
            }),
            "c: field 'target_modules': 'query' is no module of the model");
  EXPECT_EQ(test::message_of<FormatError>([&] { check(".*query"); }),
            "c: field 'target_modules': the expression fits no module of the model");
}

TEST(PeftConfig, IgnoresFieldsThatChangeNothing) {
  for (const char* init : {"gaussian", "eva", "orthogonal", "mica"}) {
    parsed({{"init_lora_weights", init}});
  }
  parsed({{"init_lora_weights", false},
          {"task_type", "CAUSAL_LM"},
          {"fan_in_fan_out", true},
          {"auto_mapping", {{"base_model_class", "X"}}},
          {"exclude_modules", {"v_proj"}},
          {"modules_to_save", Json::array()},
          {"loftq_config", Json::object()},
          {"rank_pattern", nullptr},
          {"use_dora", false},
          {"bias", "none"}});
}

TEST(PeftConfig, ReportsTheField) {
  const std::tuple<const char*, Json, const char*> cases[] = {
      {"peft_type", nullptr, "c: no field 'peft_type'"},
      {"peft_type", "IA3", "field 'peft_type' is not supported as \"IA3\"; expected LORA"},
      {"task_type", "SEQ_CLS", "field 'task_type' is not supported as \"SEQ_CLS\""},
      {"bias", "all", "field 'bias' is not supported as \"all\"; expected \"none\""},
      {"r", 0, "field 'r': expected a whole number from 1 to 65536, got 0"},
      {"r", 65537, "field 'r': expected a whole number"},
      {"r", 18446744073709551615U, "field 'r': expected a whole number"},
      {"r", 8.5, "field 'r': expected a whole number"},
      {"lora_alpha", 0, "field 'lora_alpha': expected a number from 1e-06 to 1000000, got 0"},
      {"lora_alpha", "8", "field 'lora_alpha': expected a number"},
      {"lora_dropout", 1, "field 'lora_dropout': expected a number from 0 to 0.99, got 1"},
      {"use_rslora", 1, "field 'use_rslora': expected true or false"},
      {"rank_pattern", {1}, "field 'rank_pattern': expected an object, got [1]"},
      {"rank_pattern", {{"q", 0}}, "field 'rank_pattern': expected a whole number"},
      {"rank_pattern", {{"(", 1}}, "field 'rank_pattern': the regular expression"},
      {"alpha_pattern", {{"q", -1}}, "field 'alpha_pattern': expected a number"},
      {"alpha_pattern", {{"q", nullptr}}, "field 'alpha_pattern': expected a number"},
      {"target_modules", Json::array(), "field 'target_modules': expected a text or a list"},
      {"target_modules", {1}, "field 'target_modules': expected a text or a list"},
      {"target_modules", "(", "field 'target_modules': the regular expression"},
      {"init_lora_weights", "pissa_niter_4", "'init_lora_weights' is not supported as \"pissa_ni"},
      {"init_lora_weights", "olora", "\"olora\", which changes the base model; expected true"},
      {"init_lora_weights", "loftq", "'init_lora_weights'"},
      {"init_lora_weights", "corda", "'init_lora_weights'"},
      {"init_lora_weights", "lora_ga", "'init_lora_weights'"},
      {"init_lora_weights", 1, "'init_lora_weights'"},
      {"modules_to_save", {"lm_head"}, "field 'modules_to_save' is not supported as [\"lm_head\"]"},
      {"use_dora", true, "field 'use_dora' is not supported as true; expected none"},
      {"use_qalora", true, "field 'use_qalora'"},
      {"use_bdlora", {{"x", 1}}, "field 'use_bdlora'"},
      {"lora_bias", true, "field 'lora_bias'"},
      {"layer_replication", {{0, 1}}, "field 'layer_replication'"},
      {"trainable_token_indices", {1}, "field 'trainable_token_indices'"},
      {"target_parameters", {"experts"}, "field 'target_parameters'"},
      {"alora_invocation_tokens", {1}, "field 'alora_invocation_tokens'"},
      {"arrow_config", {{"x", 1}}, "field 'arrow_config'"},
      {"kasa_config", {{"x", 1}}, "field 'kasa_config'"},
      {"monteclora_config", {{"x", 1}}, "field 'monteclora_config'"},
      {"megatron_config", {{"x", 1}}, "field 'megatron_config'"},
      {"enable_lora", {true}, "field 'enable_lora' is not supported"},
  };
  for (const auto& [field, value, expected] : cases) {
    EXPECT_THAT(error_of({{field, value}}), HasSubstr(expected)) << field << " " << value;
  }
  EXPECT_THAT(error_of({{"use_rslora", true}, {"lora_alpha", 999999}}), HasSubstr("'lora_alpha'"));
}

TEST(PeftConfig, LimitsTheStepsOfAnExpression) {
  const PeftConfig config = parsed({{"target_modules", "(a|aa)+x"}});
  EXPECT_THAT(test::message_of<FormatError>([&] { config.is_target(std::string(200, 'a')); }),
              AllOf(HasSubstr("c: field 'target_modules': the regular expression"),
                    HasSubstr("retry-limit")));
}

}  // namespace
}  // namespace weft::model_file
