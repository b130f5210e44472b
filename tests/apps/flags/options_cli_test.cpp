#include "apps/weft/flags/options_cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "apps/weft/command.h"
#include "tests/options/options_cases.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/core/log.h"

namespace weft::app {
namespace {

using options::LayerOptions;
using options::OptionTable;
using options::SampleOptions;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// The options of every command, followed by positional files.
struct CountOptions {
  LayerOptions layers;
  bool fast = true;
  bool slow = false;
  std::string model;
  std::vector<std::string> sets;
  std::vector<std::string> files;
  double normalize = 0;
  std::optional<double> power;

  template <class V>
  void fields(V& v) {
    layers.fields(v);
    v("fast", fast, {.help = "haste"});
    v("slow", slow, {.help = "waiting"});
    v("model", model, {.help = "a file", .letter = 'm', .required = true});
    v("train-sets", sets, {.help = "files", .letter = 't', .alias = "corpus"});
    v("files", files, {.help = "more files", .positional = true});
    v("normalize", normalize, {.help = "power", .min = -2, .letter = 'n', .implied = "1"});
    v("power", power, {.help = "another power", .implied = "1"});
  }

  void validate() const {
    if (fast && slow) fail<OptionError>("--slow", "contradicts --fast");
  }
};

constexpr Preset kPresets[] = {{"tiny", "enc-depth: 4\ndropout: 0.3\n"},
                               {"big", "enc-depth: 12\n"}};
constexpr CommandInfo kInfo{"count", "Counts", "", kPresets};

class Cli : public testing::Test {
 protected:
  void TearDown() override { log::set_sink({}); }

  static CountOptions parse(Args args) {
    args.insert(args.end(), {"--model", "m"});
    return parse_command<CountOptions>(kInfo, args).value();
  }

  std::string file(const std::string& name, const std::string& text) {
    return scratch_.file(name, text);
  }

  // The standard output for arguments that only print, such as --help.
  static std::string printed(const Args& args) {
    testing::internal::CaptureStdout();
    EXPECT_FALSE(parse_command<CountOptions>(kInfo, args).has_value());
    flush_output();
    return testing::internal::GetCapturedStdout();
  }

  template <class Kind>
  static std::string error_of(const Args& args) {
    try {
      parse_command<CountOptions>(kInfo, args);
      return "no error";
    } catch (const Kind& error) {
      return error.what();
    }
  }

 private:
  test::Scratch scratch_;
};

TEST_F(Cli, TakesValuesInEverySpelling) {
  EXPECT_EQ(parse({"--enc-depth", "3"}).layers.depth, 3);
  EXPECT_EQ(parse({"--enc-depth=3"}).layers.depth, 3);
  EXPECT_EQ(parse({"--drop", "0.5"}).layers.dropout, 0.5);
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"-m", "x"})->model, "x");
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"-mx"})->model, "x");
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"--model="})->model, "");
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"--model", ""})->model, "");
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"--model=--x=y"})->model, "--x=y");
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"-m", "-"})->model, "-");
  EXPECT_EQ(parse_command<CountOptions>(kInfo, {"-m", "-5"})->model, "-5");
}

TEST_F(Cli, SwitchesOnAndOff) {
  EXPECT_TRUE(parse({"--slow", "--no-fast"}).slow);
  EXPECT_FALSE(parse({"--no-fast"}).fast);
  EXPECT_FALSE(parse({"--fast", "false"}).fast);
  EXPECT_FALSE(parse({"--fast=off"}).fast);
  EXPECT_TRUE(parse({"--slow", "true", "--fast", "no"}).slow);
  EXPECT_FALSE(parse({"--no-fast", "true"}).fast);
  EXPECT_FALSE(parse({"--no-fast=true"}).fast);
  EXPECT_TRUE(parse({"--no-fast", "false"}).fast);
  const CountOptions options = parse({"--no-fast", "--slow", "file"});
  EXPECT_TRUE(options.slow);
  EXPECT_THAT(options.files, ElementsAre("file"));
}

TEST_F(Cli, AcceptsFlagsWithOptionalValues) {
  EXPECT_EQ(parse({}).normalize, 0);
  for (const Args& args : std::vector<Args>{{"-n"}, {"--normalize"}, {"-n", "--fast"}})
    EXPECT_EQ(parse(args).normalize, 1);
  EXPECT_EQ(parse({"-n", "0.6"}).normalize, 0.6);
  EXPECT_EQ(parse({"-n0.6"}).normalize, 0.6);
  EXPECT_EQ(parse({"--normalize=.6"}).normalize, 0.6);
  EXPECT_EQ(parse({"--normalize", "-1.5"}).normalize, -1.5);
  EXPECT_EQ(parse({"--normalize", "file"}).normalize, 1);
  EXPECT_EQ(parse({}).power, std::nullopt);
  EXPECT_EQ(parse({"--power"}).power, 1);
  EXPECT_EQ(parse({"--power", "0.6"}).power, 0.6);
  EXPECT_EQ(parse({"--power", "auto"}).power, std::nullopt);
  EXPECT_THAT(parse({"--normalize", "file"}).files, ElementsAre("file"));
}

TEST_F(Cli, GathersListsAndPositionalArguments) {
  EXPECT_THAT(parse({"-t", "a", "b"}).sets, ElementsAre("a", "b"));
  EXPECT_THAT(parse({"-t", "a", "--corpus", "b", "--train-sets=c"}).sets,
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(parse({"-t", "[a,b]", "a,b"}).sets, ElementsAre("[a,b]", "a,b"));
  EXPECT_THAT(parse({"x", "--no-slow", "y"}).files, ElementsAre("x", "y"));
  const auto options = parse_command<CountOptions>(kInfo, {"-m", "m", "-t", "a", "--", "x", "-y"});
  EXPECT_THAT(options->sets, ElementsAre("a"));
  EXPECT_THAT(options->files, ElementsAre("x", "-y"));
  EXPECT_THAT(parse({"a", "--files", "b", "[c,d]"}).files, ElementsAre("b", "[c,d]", "a"));
}

TEST_F(Cli, ReportsErrorsOnTheCommandLine) {
  struct Case {
    Args args;
    const char* message;
  };
  const Case cases[] = {
      {{"--enc-dpeth", "3"}, "--enc-dpeth: unknown option; hint: did you mean --enc-depth?"},
      {{"--enc-dpeth=3"}, "--enc-dpeth: unknown option; hint: did you mean --enc-depth?"},
      {{"--no-fats"}, "--no-fats: unknown option; hint: did you mean --no-fast?"},
      {{"--no-model"}, "--no-model: unknown option"},
      {{"-z"}, "-z: unknown option; hint: --help lists them"},
      {{"-hz"}, "-z: unknown option"},
      {{"-m", "--"}, "-m: no value"},
      {{"-model", "x"}, "-model: unknown option; hint: did you mean --model?"},
      {{"--enc-depth"}, "--enc-depth: no value; expected a whole number from 1 to 64"},
      {{"--enc-depth", "--fast"}, "--enc-depth: no value; expected a whole number from 1 to 64"},
      {{"--enc-depth", "six"}, "--enc-depth: not a whole number"},
      {{"--enc-depth", "65"}, "--enc-depth: out of range"},
      {{"--enc-depth", "-1"}, "--enc-depth: out of range"},
      {{"--enc-depth", "3", "--enc-depth", "4"}, "--enc-depth: given 2 times; expected once"},
      {{"--fast", "--fast"}, "--fast: given 2 times; expected once"},
      {{"--fast=maybe"}, "--fast: neither true nor false"},
      {{"--fast="}, "--fast: no value after '='"},
      {{"--activation", "rleu"}, "hint: did you mean relu?"},
      {{"--task", "tniy"},
       "--task: unknown value; expected one of tiny, big, got 'tniy'; hint: "
       "did you mean tiny?"},
      {{"--dump-config=some"}, "--dump-config: unknown value; expected one of full, minimal"},
      {{"--threads", "2000"}, "--threads: out of range; expected a whole number from 0 to 1024"},
      {{"-t"}, "-t: no value; expected text"},
      {{}, "--model: not given; expected text (a file)"},
  };
  for (const Case& c : cases) EXPECT_THAT(error_of<OptionError>(c.args), HasSubstr(c.message));
}

TEST_F(Cli, RefusesArgumentsThatBelongToNoOption) {
  SampleOptions options;
  OptionTable table;
  table.add(options);
  EXPECT_THROW(parse_arguments(table, {"stray"}), OptionError);
  EXPECT_THROW(parse_arguments(table, {"--model", "a", "b"}), OptionError);
}

TEST_F(Cli, OrdersDefaultsPresetFilesAndCommandLine) {
  const std::string first = file("first.yml", "dropout: 0.5\nactivation: gelu\n");
  const std::string second = file("second.yml", "activation: silu\n");
  EXPECT_EQ(parse({}).layers, LayerOptions());
  EXPECT_EQ(parse({"--task", "tiny"}).layers, (LayerOptions{4, 0.3, "relu"}));
  EXPECT_EQ(parse({"--task", "tiny", "-c", first}).layers, (LayerOptions{4, 0.5, "gelu"}));
  EXPECT_EQ(parse({"--config", first, second}).layers, (LayerOptions{6, 0.5, "silu"}));
  EXPECT_EQ(parse({"-c", second, "-c", first}).layers, (LayerOptions{6, 0.5, "gelu"}));
  EXPECT_EQ(
      parse({"--activation", "relu", "-c", first, "--enc-depth", "9", "--task", "tiny"}).layers,
      (LayerOptions{9, 0.5, "relu"}));
}

TEST_F(Cli, TakesThePresetFromAFileToo) {
  const std::string config = file("task.yml", "dropout: 0.5\ntask: tiny\n");
  EXPECT_EQ(parse({"-c", config}).layers, (LayerOptions{4, 0.5, "relu"}));
  EXPECT_EQ(parse({"-c", config, "--task", "big"}).layers, (LayerOptions{12, 0.5, "relu"}));
}

TEST_F(Cli, ReplacesAListOfAFileAsAWhole) {
  const std::string config = file("sets.yml", "train-sets: [a, b]\nfiles: [x]\n");
  EXPECT_THAT(parse({"-c", config}).sets, ElementsAre("a", "b"));
  EXPECT_THAT(parse({"-c", config, "-t", "c"}).sets, ElementsAre("c"));
}

TEST_F(Cli, ReportsTheOriginOfOptionsInErrors) {
  const std::string config = file("bad.yml", "dropout: 0.5\nenc-depth: 100\n");
  EXPECT_THAT(error_of<OptionError>({"-m", "m", "-c", config}),
              HasSubstr(config + ":2: enc-depth: out of range"));
  const std::string nested = file("nested.yml", "config: other.yml\n");
  EXPECT_THAT(error_of<OptionError>({"-m", "m", "-c", nested}),
              HasSubstr(":1: config: not allowed"));
  EXPECT_THAT(error_of<FileError>({"-m", "m", "-c", "no-such-file"}), HasSubstr("no-such-file: "));
  const std::string task = file("task.yml", "task: huge\n");
  EXPECT_THAT(error_of<OptionError>({"-m", "m", "-c", task}), HasSubstr(":1: task: unknown value"));
}

TEST_F(Cli, DumpsAConfigThatGivesTheSameOptions) {
  for (const std::string what : {"full", "minimal"}) {
    const Args args = {"-m", "a \"b\"", "--task", "tiny", "--enc-depth", "5", "-t", "x", "y z"};
    Args dumping = args;
    dumping.insert(dumping.end(), {"--dump-config", what});
    const std::string yaml = printed(dumping);
    const std::string config = file(what + ".yml", yaml);
    const auto options = parse_command<CountOptions>(kInfo, {"-c", config}).value();
    EXPECT_EQ(options.model, "a \"b\"");
    EXPECT_EQ(options.layers, (LayerOptions{5, 0.3, "relu"}));
    EXPECT_THAT(options.sets, ElementsAre("x", "y z"));
    EXPECT_EQ(printed({"-c", config, "--dump-config", what}), yaml);
  }
  EXPECT_EQ(printed({"--dump-config"}), printed({"--dump-config=full"}));
  EXPECT_EQ(printed({"--dump-config", "minimal"}), "");
}

TEST_F(Cli, ShowsHelpDefaultAndRangeOfEveryOption) {
  const std::string help = printed({"--help"});
  for (const char* text :
       {"Counts\n\nusage: weft count [options]", "\nLayers:\n", "\nGeneral:\n",
        "      --enc-depth N               layers (6; from 1 to 64)\n", "-m, --model TEXT",
        "a file (required)", "without haste (in YAML: fast: false)", "files (none) (also --corpus)",
        "--activation relu|gelu|silu", "--train-sets TEXT...", "--no-fast", "--task tiny|big",
        "-c, --config", "--dump-config [full|minimal]", "-h, --help"})
    EXPECT_THAT(help, HasSubstr(text));
  EXPECT_EQ(printed({"-h", "-m", "x"}), help);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST_F(Cli, LetsACommandRefuseContradictingOptions) {
  EXPECT_THAT(error_of<OptionError>({"-m", "x", "--slow"}), StartsWith("--slow: contradicts"));
  const std::string config = file("a.yml", "\nslow: true\n");
  EXPECT_THAT(error_of<OptionError>({"-m", "x", "-c", config}),
              StartsWith(config + ":2: slow: contradicts --fast"));
}

}  // namespace
}  // namespace weft::app
