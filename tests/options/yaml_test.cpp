#include "weft/options/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/options/options_cases.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::options {
namespace {

using testing::HasSubstr;

struct YamlTable : OptionTable {
  SampleOptions options;
  explicit YamlTable(SampleOptions start = {}) : options(std::move(start)) { add(options); }
};

std::string yaml_error(const std::string& yaml) {
  try {
    YamlTable table;
    read_yaml(table, parse_yaml(yaml, "a.yml"));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(OptionsYaml, ReadsAFlatMap) {
  YamlTable table;
  read_yaml(table, parse_yaml("# a comment\nenc-depth: 12\ndrop: 0.5   # another\nsets: [a, b c]\n"
                              "seeds:\n  - 7\n  - 8\ntied: true\nmodel: 'x: y'\nafter: 5e\n"
                              "weights: 2\n",
                              "a.yml"));
  EXPECT_EQ(table.options.layers.depth, 12);
  EXPECT_EQ(table.options.layers.dropout, 0.5);
  EXPECT_EQ(table.options.sets, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(table.options.seeds, (std::vector<int64_t>{7, 8}));
  EXPECT_TRUE(table.options.tied);
  EXPECT_EQ(table.options.model, "x: y");
  EXPECT_EQ(table.options.after, Period::epochs(5));
  EXPECT_EQ(table.options.weights, std::vector<double>{2});
}

TEST(OptionsYaml, MayBeEmpty) {
  EXPECT_EQ(yaml_error(""), "");
  EXPECT_EQ(yaml_error("# nothing\n---\n"), "");
}

TEST(OptionsYaml, ReportsFileAndLineOfErrors) {
  struct Case {
    const char* yaml;
    const char* message;
  };
  const Case cases[] = {
      {"tied: true\nenc-dpeth: 3\n",
       "a.yml:2: enc-dpeth: unknown option; hint: did you mean "
       "enc-depth?"},
      {"\n\nenc-depth: six\n", "a.yml:3: enc-depth: not a whole number"},
      {"enc-depth: 6\ntied: true\nenc-depth: 7\n",
       "a.yml:3: enc-depth: given twice; expected "
       "once, the first is at a.yml:1: enc-depth"},
      {"dropout: 0\ndrop: 1\n", "a.yml:2: drop: given twice, as dropout and its alias drop"},
      {"enc-depth:\n", "a.yml:1: enc-depth: no value"},
      {"model: ~\n", "a.yml:1: model: no value"},
      {"sets: [a, ~]\n", "a.yml:1: sets: no value"},
      {"enc-depth: [6]\n", "a.yml:1: enc-depth: one value is needed"},
      {"model: {a: b}\n", "a.yml:1: model: a value is nested"},
      {"sets: [[a]]\n", "a.yml:1: sets: a value is nested"},
      {"sets: [a, b\ntied: true\n", "invalid YAML"},
      {"tied: true\n  enc-depth: 6\n", "a.yml:2: invalid YAML"},
      {"a\tb: [}\n", "a.yml:1: invalid YAML"},
      {"- a\n- b\n", "a.yml:1: not a map; expected 'option: value' lines"},
      {"just text\n", "a.yml:1: not a map"},
      {"tied: true\n---\ntied: false\n", "a.yml: 2 documents; expected one"},
      {"[a]: b\n", "a key is not a name"},
      {"model: *nowhere\n", "a.yml:1: invalid YAML"},
  };
  for (const Case& c : cases) EXPECT_THAT(yaml_error(c.yaml), HasSubstr(c.message)) << c.yaml;
}

TEST(OptionsYaml, SurvivesUnboundedNesting) {
  EXPECT_THAT(yaml_error("sets: " + std::string(100000, '[')), HasSubstr("invalid YAML"));
}

TEST(OptionsYaml, RoundTripsExactly) {
  for (const Dump mode : {Dump::kFull, Dump::kMinimal}) {
    YamlTable source;
    source.options = awkward_options();
    const std::string text = to_yaml(source, mode);
    YamlTable target;
    read_yaml(target, parse_yaml(text, "dump"));
    EXPECT_EQ(target.options, source.options) << text;
    EXPECT_TRUE(std::signbit(target.options.weights[3]));
    EXPECT_EQ(to_yaml(target, mode), text);
  }
}

TEST(OptionsYaml, DumpsDefaultsInFullAndNothingInMinimal) {
  YamlTable table;
  EXPECT_EQ(to_yaml(table, Dump::kMinimal), "");
  EXPECT_EQ(to_yaml(table, Dump::kFull),
            "# Layers\nenc-depth: 6\ndropout: 0.1\nactivation: relu\n\n# Training\ntied: false\n"
            "model: \"\"\nkind: \"\"\nafter: 10e\nseeds: [1, 2]\nfield: auto\npower: "
            "auto\nweights: []\nsets: []\n");
  read_yaml(table, parse_yaml(to_yaml(table, Dump::kFull), "dump"));
  EXPECT_EQ(table.options, SampleOptions());
}

TEST(OptionsYaml, RefusesToDumpInvalidUtf8) {
  YamlTable table;
  table.options.model = "bad \xFF utf-8";
  EXPECT_THROW(to_yaml(table, Dump::kFull), OptionError);
}

struct FlagOnly {
  std::string config;
  template <class V>
  void fields(V& v) {
    v("config", config, {.flag_only = true});
  }
};

TEST(OptionsYaml, RefusesCommandLineOnlyOptions) {
  FlagOnly options{"x"};
  OptionTable table;
  table.add(options);
  EXPECT_EQ(to_yaml(table, Dump::kFull), "");
  EXPECT_THROW(read_yaml(table, parse_yaml("config: y", "a.yml")), OptionError);
}

TEST(OptionsYaml, ReportsAFileItCannotRead) {
  const test::Scratch scratch;
  EXPECT_THROW(parse_yaml_file(scratch.folder()), FileError);
  EXPECT_THROW(parse_yaml_file(scratch.path("no-such-file.yml")), FileError);
  const std::string path = scratch.file("a.yml", "tied: true\n");
  EXPECT_EQ(parse_yaml_file(path).at(0).where, path + ":1: tied");
}

}  // namespace
}  // namespace weft::options
