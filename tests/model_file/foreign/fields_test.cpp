#include "weft/model_file/foreign/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace weft::model_file {
namespace {

using testing::HasSubstr;

std::string field_error(const std::string& json, const auto& read) {
  return test::message_of<FormatError>([&] {
    Fields fields(json, "config.json");
    read(fields);
  });
}

TEST(Fields, AreConsumedHarmlessOrRefusedByName) {
  Fields fields(R"({"size": 3, "bias": true, "seed": 5, "none": null})", "config.json");
  EXPECT_EQ(fields.take_integer("size"), 3);
  EXPECT_TRUE(fields.take_bool("bias"));
  EXPECT_FALSE(fields.has("none"));
  EXPECT_EQ(test::message_of<FormatError>([&] { fields.check_all_consumed(); }),
            "config.json: field 'seed' is not supported");
  constexpr std::string_view kHarmless[] = {"seed"};
  fields.ignore(kHarmless);
  fields.check_all_consumed();
}

TEST(Fields, HaveTypes) {
  const auto integer = [](Fields& f) { f.take_integer("x"); };
  const auto flag = [](Fields& f) { f.take_bool("x"); };
  EXPECT_EQ(field_error("{}", integer), "config.json: no field 'x'");
  EXPECT_EQ(field_error(R"({"x": null})", integer), "config.json: no field 'x'");
  EXPECT_EQ(field_error(R"({"x": 1.5})", integer),
            "config.json: field 'x': expected a whole number, got 1.5");
  EXPECT_EQ(field_error(R"({"x": 1})", flag),
            "config.json: field 'x': expected true or false, got 1");
}

TEST(Fields, MayHaveOneSupportedValue) {
  Fields fields(R"({"scale": 0.00392156862745098, "name": "bart"})", "config.json");
  fields.require("scale", 1.0 / 255);
  fields.require("missing", true);
  EXPECT_EQ(test::message_of<FormatError>([&] { fields.require("name", "marian"); }),
            "config.json: field 'name' is not supported as \"bart\"; expected \"marian\"");
  EXPECT_THAT(test::message_of<FormatError>([&] { fields.require("scale", 1); }),
              HasSubstr("'scale' is not supported as"));
}

TEST(Fields, RefuseWhatIsNoObject) {
  const auto nothing = [](Fields&) {};
  EXPECT_THAT(field_error("[1]", nothing), HasSubstr("config.json: expected an object, got array"));
  EXPECT_THAT(field_error("{", nothing), HasSubstr("config.json: not JSON: "));
  EXPECT_THAT(field_error("", nothing), HasSubstr("config.json: not JSON: "));
  EXPECT_EQ(field_error(R"({"a": 1, "b": {"c": 1, "c": 2}})", nothing),
            "config.json: field 'c' is given twice");
  const std::string deep = R"({"a": )" + std::string(100000, '[');
  EXPECT_EQ(field_error(deep, nothing), "config.json: is nested too deeply");
}

TEST(Fields, MayBeMissing) {
  Fields fields(R"({"a": 3, "b": true, "c": null})", "config.json");
  EXPECT_EQ(fields.take_or("a", "x"), 3);
  EXPECT_EQ(fields.take_or("c", "x"), "x");
  EXPECT_EQ(fields.take_integer_or("a", 5), 3);
  EXPECT_EQ(fields.take_integer_or("d", 5), 5);
  EXPECT_TRUE(fields.take_bool_or("b", false));
  EXPECT_FALSE(fields.take_bool_or("d", false));
  EXPECT_EQ(fields.take_or("d", nullptr), nullptr);
  fields.check_all_consumed();
  EXPECT_THROW(fields.take_integer_or("b", 5), FormatError);
}

TEST(Fields, AreShortInErrors) {
  const std::string text = field_error(R"({"x": ")" + std::string(5000, 'y') + "\"}",
                                       [](Fields& f) { f.take_bool("x"); });
  EXPECT_LT(text.size(), 150);
}

}  // namespace
}  // namespace weft::model_file
