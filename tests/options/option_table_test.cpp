#include "weft/options/option_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/options/options_cases.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"

namespace weft::options {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

struct Table : OptionTable {
  SampleOptions options;
  Table() { add(options); }
  std::string set(const std::string& name, std::vector<std::string> values, bool is_list = false) {
    try {
      assign({name, std::move(values), "a.yml:3: " + name, is_list});
      return "";
    } catch (const OptionError& error) {
      return error.what();
    }
  }
};

TEST(OptionTable, HoldsTheFieldsInOrderWithTheirTitles) {
  Table table;
  EXPECT_THAT(table.names(),
              ElementsAre("enc-depth", "dropout", "drop", "activation", "tied", "model", "kind",
                          "after", "seeds", "field", "power", "weights", "sets"));
  EXPECT_EQ(table.find("enc-depth")->group, "Layers");
  EXPECT_EQ(table.find("seeds")->group, "Training");
  EXPECT_THAT(table.find("seeds")->defaults, ElementsAre("1", "2"));
  EXPECT_EQ(table.find("drop"), table.find("dropout"));
  EXPECT_EQ(table.find("depth"), nullptr);
}

TEST(OptionTable, ReadsValuesOfEveryType) {
  Table table;
  EXPECT_EQ(table.set("enc-depth", {"12"}), "");
  EXPECT_EQ(table.set("drop", {"+2.5e-1"}), "");
  EXPECT_EQ(table.set("activation", {"gelu"}), "");
  EXPECT_EQ(table.set("tied", {"on"}), "");
  EXPECT_EQ(table.set("model", {"a b"}), "");
  EXPECT_EQ(table.set("after", {"100Ku"}), "");
  EXPECT_EQ(table.set("seeds", {"3", "1e3", "2.0"}, true), "");
  EXPECT_EQ(table.set("power", {"0.5"}), "");
  EXPECT_EQ(table.set("weights", {"-1", "0.5"}, true), "");
  EXPECT_EQ(table.set("sets", {"x"}), "");
  const SampleOptions& o = table.options;
  EXPECT_EQ(o.layers, (LayerOptions{12, 0.25, "gelu"}));
  EXPECT_TRUE(o.tied);
  EXPECT_EQ(o.model, "a b");
  EXPECT_EQ(o.after, Period::updates(100000));
  EXPECT_THAT(o.seeds, ElementsAre(3, 1000, 2));
  EXPECT_EQ(o.power, 0.5);
  EXPECT_THAT(o.weights, ElementsAre(-1, 0.5));
  EXPECT_THAT(o.sets, ElementsAre("x"));
  EXPECT_EQ(table.find("model")->origin, "a.yml:3: model");
  EXPECT_EQ(table.find("kind")->origin, "");
  EXPECT_EQ(table.set("field", {"3"}), "");
  EXPECT_EQ(o.field, 3);
  EXPECT_EQ(table.set("field", {"auto"}), "");
  EXPECT_EQ(o.field, std::nullopt);
  EXPECT_EQ(table.set("power", {"auto"}), "");
  EXPECT_EQ(o.power, std::nullopt);
}

TEST(OptionTable, ReportsErrorsAndExpectations) {
  struct Case {
    const char* name;
    std::vector<std::string> values;
    const char* message;
  };
  const Case cases[] = {
      {"enc-dpeth", {"1"}, "a.yml:3: enc-dpeth: unknown option; hint: did you mean enc-depth?"},
      {"workspace", {"1"}, "a.yml:3: workspace: unknown option"},
      {"enc-depth", {"six"}, "not a whole number; expected a whole number from 1 to 64, got 'six'"},
      {"enc-depth", {"6.5"}, "not a whole number"},
      {"enc-depth", {"6 "}, "not a whole number"},
      {"enc-depth", {""}, "not a whole number"},
      {"enc-depth", {"0x6"}, "not a whole number"},
      {"enc-depth", {"1e300"}, "out of range"},
      {"enc-depth", {"99999999999999999999"}, "out of range"},
      {"enc-depth", {"nan"}, "not a whole number"},
      {"enc-depth", {"0"}, "out of range; expected a whole number from 1 to 64, got '0'"},
      {"enc-depth", {"65"}, "out of range"},
      {"enc-depth", {"1", "2"}, "one value is needed; expected a whole number from 1 to 64, got 2"},
      {"dropout", {"1.01"}, "out of range; expected a number from 0 to 1, got '1.01'"},
      {"dropout", {"-1e-9"}, "out of range"},
      {"dropout", {"nan"}, "not a number"},
      {"dropout", {"inf"}, "not a number"},
      {"dropout", {"1e400"}, "not a number"},
      {"dropout", {"0,1"}, "not a number"},
      {"dropout", {"+-1"}, "not a number"},
      {"activation",
       {"rleu"},
       "unknown value; expected one of relu, gelu, silu, got 'rleu'; hint: "
       "did you mean relu?"},
      {"kind", {"c"}, "expected one of a, b, got 'c'"},
      {"field", {"0.5"}, "not a whole number; expected auto or a whole number from 0 to 1000000"},
      {"power", {"3"}, "out of range; expected auto or a number from 0 to 2, got '3'"},
      {"power", {"automatic"}, "not a number; expected auto or a number from 0 to 2"},
      {"tied", {"maybe"}, "neither true nor false; expected true or false, got 'maybe'"},
      {"tied", {"1"}, "neither true nor false"},
      {"after", {"3x"}, "not a period"},
      {"after", {"2Mu"}, "out of range; expected a period"},
      {"seeds", {"1", "-1"}, "out of range; expected a whole number of at least 0, got '-1'"},
      {"seeds",
       {"1", "a\nb"},
       "not a whole number; expected a whole number of at least 0, got "
       "'a\\nb'"},
  };
  for (const Case& c : cases) {
    Table table;
    EXPECT_THAT(table.set(c.name, c.values), HasSubstr(c.message));
    EXPECT_TRUE(table.options == SampleOptions()) << "a refused value was kept: " << c.message;
  }
}

TEST(OptionTable, TakesBackAnAssignment) {
  Table table;
  ASSERT_EQ(table.set("seeds", {"7"}, true), "");
  table.withdraw("seeds", std::vector<std::string>{"1", "2"});
  EXPECT_THAT(table.options.seeds, ElementsAre(1, 2));
  EXPECT_EQ(table.find("seeds")->origin, "");
}

TEST(OptionTable, RefusesAListForOneValue) {
  Table table;
  EXPECT_THAT(table.set("enc-depth", {"6"}, true), HasSubstr("got a list"));
}

TEST(OptionTable, AcceptsADefaultOutsideTheChoices) {
  Table table;
  EXPECT_EQ(table.set("kind", {"a"}), "");
  EXPECT_EQ(table.set("kind", {""}), "");
  EXPECT_EQ(table.options.unset_choice, "");
}

TEST(OptionTable, ReportsMissingRequiredOptions) {
  Table table;
  EXPECT_THROW(table.check_required(), OptionError);
  table.set("model", {"x"});
  EXPECT_NO_THROW(table.check_required());
}

struct Files {
  std::vector<std::string> texts;
  std::string model, report;
  template <class V>
  void fields(V& v) {
    v("texts", texts, {.reads = true});
    v("model", model, {.writes = true});
    v("report", report, {.writes = true});
  }
};

TEST(OptionTable, RefusesAnOutputThatIsAnInputOrWrittenTwice) {
  check_files(Files{{"a", "b"}, "c", "d"});
  check_files(Files{{"stdin"}, "c", "stdout"});
  check_files(Files{{""}, "", ""});
  EXPECT_THAT(
      [] {
        check_files(Files{{"a", "./b"}, "b", ""});
      },
      ThrowsMessage<OptionError>(HasSubstr("--model: would overwrite ./b, which is an input")));
  EXPECT_THAT(
      [] {
        check_files(Files{{"a"}, "c", "c"});
      },
      ThrowsMessage<OptionError>("--model: 'c' is also the output of --report; expected "
                                 "another file"));
}

struct ReadFiles {
  std::string input = "stdin";
  std::string start = {};
  std::vector<std::string> texts = {};
  std::vector<std::string> vocabs = {};
  template <class V>
  void fields(V& v) {
    v("input", input, {.reads = true});
    v("start", start, {.reads = true});
    v("texts", texts, {.reads = true});
    v("vocabs", vocabs, {.reads = true, .made_if_missing = true});
  }
};

TEST(OptionTable, RefusesAnInputThatCannotBeRead) {
  const test::Scratch folder;
  const std::string there = folder.file("there", "x"), gone = folder.path("gone");
  const auto check = [](ReadFiles files, std::string_view unread = "") {
    OptionTable table;
    ReadFiles plain;
    table.add(plain);
    plain = std::move(files);
    table.check_readable(unread);
  };
  check({.texts = {there, folder.path("")}});
  check({.input = there, .texts = {"-"}, .vocabs = {gone}});
  check({.start = gone}, "start");
  const auto refuses = ThrowsMessage<FileError>(gone +
                                                ": cannot be opened: No such file or "
                                                "directory");
  EXPECT_THAT([&] { check({.input = gone}); }, refuses);
  EXPECT_THAT([&] { check({.start = gone}, "texts"); }, refuses);
  EXPECT_THAT([&] { check({.texts = {there, gone}}); }, refuses);
}

struct Inputs {
  std::string input = "stdin";
  std::vector<std::string> texts;
  template <class V>
  void fields(V& v) {
    v("input", input, {.reads = true});
    v("texts", texts, {.reads = true});
  }
};

TEST(OptionTable, ReadsStandardInputOnce) {
  Inputs inputs;
  OptionTable table;
  table.add(inputs);
  const auto error = [&](const char* name, std::vector<std::string> values) {
    table.assign({name, std::move(values), std::string("--") + name, true});
    try {
      table.check_files();
      return std::string("no error");
    } catch (const OptionError& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(table.reads_standard_input()->name, "input");
  EXPECT_EQ(error("texts", {"a", "stdin"}), "no error");  // a file of that name
  EXPECT_EQ(error("texts", {"a", "-"}),
            "--texts: is standard input, which --input reads too; expected a file for one of them");
  inputs.input = "-";
  EXPECT_THAT(error("texts", {"-"}), HasSubstr("--texts: is standard input, which --input reads"));
  inputs.input = "a";
  EXPECT_EQ(error("texts", {"-"}), "no error");
  EXPECT_EQ(table.reads_standard_input()->name, "texts");
  EXPECT_EQ(error("texts", {"-", "b", "-"}),
            "--texts: standard input is given twice; expected once");
  EXPECT_EQ(error("texts", {"b"}), "no error");
  EXPECT_EQ(table.reads_standard_input(), nullptr);
}

struct SameNames {
  bool a = false, b = false;
  template <class V>
  void fields(V& v) {
    v("first", a, {});
    v("second", b, {.alias = "first"});
  }
};

struct SameLetters {
  bool a = false, b = false;
  template <class V>
  void fields(V& v) {
    v("first", a, {.letter = 'x'});
    v("second", b, {.letter = 'x'});
  }
};

struct Forgetful {
  bool first = false;
  double forgotten = 1;
  bool last = false;
  template <class V>
  void fields(V& v) {
    v("first", first, {});
    v("last", last, {});
  }
};

struct ForgetfulAtTheEnd {
  bool first = false;
  std::string forgotten;
  template <class V>
  void fields(V& v) {
    v("first", first, {});
  }
};

struct Held {
  int64_t value = 0;
};

struct Holder {
  bool first = false;
  std::unique_ptr<Held> held = std::make_unique<Held>();
  std::string name;
  template <class V>
  void fields(V& v) {
    v("first", first, {});
    pointer_to_fields(v, held);
    v("value", held->value, {});
    v("name", name, {});
  }
};

TEST(OptionTable, TakesFieldsBehindAPointerOfTheStruct) {
  Holder holder;
  OptionTable table;
  table.add(holder);
  table.assign({"value", {"3"}, "--value"});
  EXPECT_EQ(holder.held->value, 3);
}

TEST(OptionTable, ReportsBugsInOptionStructs) {
  OptionTable table;
  SameNames names;
  EXPECT_THROW(table.add(names), Error);
  OptionTable other;
  SameLetters letters;
  EXPECT_THROW(other.add(letters), Error);
}

TEST(OptionTable, ReportsFieldsThatAreNotVisited) {
  OptionTable table;
  Forgetful middle;
  EXPECT_THROW(table.add(middle), Error);
  OptionTable other;
  ForgetfulAtTheEnd end;
  EXPECT_THROW(other.add(end), Error);
}

}  // namespace
}  // namespace weft::options
