#include "weft/model_file/foreign/config_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

struct TwoOptions {
  int64_t depth = 1;
  std::string activation = "relu";
  std::string norm = "pre";
  double ratio = 0;

  template <class V>
  void fields(V& v) {
    v("depth", depth, {.min = 1, .max = 9});
    v("activation", activation, {.choices = "relu|silu"});
    v("norm", norm, {.choices = "pre|post"});
    v("ratio", ratio);
  }
};

constexpr ValueName kActivationNames[] = {{"relu", "relu"}, {"swish", "silu"}};
constexpr FixedValue kFixedFields[] = {{"is_decoder", "false"}};
constexpr FixedValue kFixedOptions[] = {{"norm", R"("post")"}};
constexpr FieldMapping kFieldRules[] = {
    {"encoder_layers", "depth", "2"},
    {"decoder_layers", "depth", "2"},
    {.field = "act", .option = "activation", .values = kActivationNames},
    {.field = "ratio", .option = "ratio", .missing = "0.0", .is_own = true},
};
constexpr std::string_view kHarmlessOnes[] = {"seed"};
constexpr ConfigMap kTestMap{.fixed_fields = kFixedFields,
                             .fields = kFieldRules,
                             .fixed_options = kFixedOptions,
                             .harmless_fields = kHarmlessOnes,
                             .harmless_options = {}};

TwoOptions import_fields(const std::string& json) {
  Fields fields(json, "config.json");
  ImportedContents out("config.json", "");
  read_fields(kTestMap, fields, out);
  fields.check_all_consumed();
  return out.header<TwoOptions>("");
}

std::string import_error(const std::string& json) {
  return test::message_of<FormatError>([&] { import_fields(json); });
}

TEST(ConfigMap, TurnsFieldsIntoOptions) {
  const TwoOptions options = import_fields(
      R"({"encoder_layers": 3, "decoder_layers": 3, "act": "swish", "seed": 1, "ratio": 0.5})");
  EXPECT_EQ(options.depth, 3);
  EXPECT_EQ(options.activation, "silu");
  EXPECT_EQ(options.norm, "post");
  EXPECT_EQ(options.ratio, 0.5);
  EXPECT_EQ(import_fields(R"({"act": "relu"})").depth, 2);
}

TEST(ConfigMap, NamesTheFieldOfAnError) {
  EXPECT_EQ(import_error("{}"), "config.json: no field 'act'");
  EXPECT_EQ(import_error(R"({"act": "tanh"})"),
            "config.json: field 'act' is not supported as \"tanh\"; expected relu, swish");
  EXPECT_EQ(import_error(R"({"act": "relu", "gate": 1})"),
            "config.json: field 'gate' is not supported");
  EXPECT_THAT(import_error(R"({"act": "relu", "is_decoder": true})"),
              HasSubstr("field 'is_decoder' is not supported as true; expected false"));
  EXPECT_EQ(import_error(R"({"act": "relu", "encoder_layers": 3})"),
            "config.json: 'encoder_layers' 3 and 'decoder_layers' 2 are not supported; expected "
            "equal values");
  EXPECT_THAT(import_error(R"({"act": "relu", "encoder_layers": 12, "decoder_layers": 12})"),
              HasSubstr("config.json: field 'encoder_layers': depth: out of range"));
}

TEST(ConfigMap, TurnsOptionsIntoFields) {
  TwoOptions options{.depth = 4, .activation = "silu", .norm = "post"};
  const auto exported = [&] {
    return fields_of(kTestMap, Json::parse(options::options_to_json(options))).dump();
  };
  EXPECT_EQ(exported(),
            R"({"is_decoder":false,"encoder_layers":4,"decoder_layers":4,"act":"swish"})");
  options.ratio = 2;
  EXPECT_THAT(exported(), HasSubstr(R"("ratio":2.0)"));
}

TEST(ConfigMap, FindsTheOptionThatAnExportLoses) {
  const TwoOptions options{.norm = "pre"};
  const Json here = Json::parse(options::options_to_json(options));
  const Json back =
      Json::parse(options::options_to_json(import_fields(fields_of(kTestMap, here).dump())));
  const auto found = unsupported_option(kTestMap, here, back);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "norm");
  EXPECT_EQ(found->expected, "post");
  EXPECT_FALSE(unsupported_option(kTestMap, back, back).has_value());
}

}  // namespace
}  // namespace weft::model_file
