#include "weft/options/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/options/options_cases.h"
#include "weft/core/error.h"

namespace weft::options {
namespace {

using testing::HasSubstr;

std::string json_error(const std::string& json) {
  try {
    options_from_json<SampleOptions>(json, "model.safetensors");
    return "";
  } catch (const FormatError& error) {
    return error.what();
  }
}

TEST(OptionsJson, WritesTypedMembersInOrder) {
  EXPECT_EQ(options_to_json(SampleOptions()),
            R"({"enc-depth":6,"dropout":0.1,"activation":"relu","tied":false,"model":"","kind":"",)"
            R"("after":"10e","seeds":[1,2],"field":"auto","power":"auto","weights":[],"sets":[]})");
}

TEST(OptionsJson, RoundTripsExactly) {
  for (const SampleOptions& options : {SampleOptions(), awkward_options()}) {
    const std::string text = options_to_json(options);
    const auto back = options_from_json<SampleOptions>(text, "test");
    EXPECT_EQ(back, options) << text;
    EXPECT_EQ(options_to_json(back), text);
  }
}

TEST(OptionsJson, KeepsDefaultsOfMissingOptions) {
  const auto options = options_from_json<SampleOptions>(R"({"enc-depth": 3})", "test");
  EXPECT_EQ(options.layers.depth, 3);
  EXPECT_EQ(options.layers.dropout, 0.1);
}

TEST(OptionsJson, PassesOverWhatOtherOptionsAreCalled) {
  SampleOptions options;
  OptionTable table;
  table.add(options);
  read_known_json(
      table, R"({"type": "tagging", "enc-depth": 3, "activation": "elu", "tied": true})", "test");
  EXPECT_EQ(options.layers.depth, 3);
  EXPECT_EQ(options.layers.activation, "relu");
  EXPECT_TRUE(options.tied);
  EXPECT_THROW(read_known_json(table, "[1]", "test"), FormatError);
}

TEST(OptionsJson, ReportsErrors) {
  struct Case {
    const char* json;
    const char* message;
  };
  const Case cases[] = {
      {R"({"enc-dpeth": 3})", "unknown option 'enc-dpeth'; hint: did you mean enc-depth?"},
      {R"({"enc-depth": 3, "enc-depth": 4})", "option 'enc-depth' is given twice"},
      {R"({"enc-depth": "3"})", "enc-depth: expected a whole number from 1 to 64, got string"},
      {R"({"enc-depth": 3.5})", "enc-depth: not a whole number"},
      {R"({"enc-depth": 65})", "enc-depth: out of range"},
      {R"({"enc-depth": null})", "enc-depth: expected a whole number from 1 to 64, got null"},
      {R"({"enc-depth": [3]})", "enc-depth: expected one value, got array"},
      {R"({"enc-depth": {}})", "enc-depth: expected a whole number from 1 to 64, got object"},
      {R"({"field": 1.5})", "field: not a whole number; expected auto or a whole number from 0"},
      {R"({"power": "high"})", "power: not a number; expected auto or a number from 0 to 2"},
      {R"({"power": true})", "power: expected auto or a number from 0 to 2, got boolean"},
      {R"({"seeds": 3})", "seeds: expected a list, got number"},
      {R"({"seeds": [[3]]})", "seeds: expected a whole number"},
      {R"({"tied": "true"})", "tied: expected true or false, got string"},
      {R"({"tied": 1})", "tied: expected true or false, got number"},
      {R"({"model": 1})", "model: expected text, got number"},
      {R"({"after": 10})", "after: expected a period"},
      {R"({"after": "10x"})", "after: not a period"},
      {R"({"activation": "elu"})", "activation: unknown value"},
      {R"({"dropout": 1e999})", "invalid JSON"},
      {"[1]", "options are array; expected an object"},
      {"", "invalid JSON"},
      {R"({"tied": true)", "invalid JSON"},
      {"{\"model\": \"\xFF\"}", "invalid JSON"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(json_error(c.json), HasSubstr(c.message)) << c.json;
    EXPECT_THAT(json_error(c.json), HasSubstr("model.safetensors: ")) << c.json;
  }
}

TEST(OptionsJson, RefusesToWriteInvalidUtf8) {
  SampleOptions options;
  options.model = "bad \xFF utf-8";
  EXPECT_THROW(options_to_json(options), OptionError);
}

}  // namespace
}  // namespace weft::options
