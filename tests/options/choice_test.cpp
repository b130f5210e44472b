// Choices among kinds in tables, YAML and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/options/json.h"
#include "weft/options/option_value.h"
#include "weft/options/yaml.h"

namespace weft::options {
namespace {

using testing::ElementsAre;

struct Full {
  static constexpr std::string_view kName = "full";
  static constexpr std::string_view kHelp = "all rows";
};
struct Local {
  static constexpr std::string_view kName = "local";
  static constexpr std::string_view kHelp = "rows nearby";
  int64_t window = 0;
  template <class V>
  void fields(V& v) {
    v("window", window, {.min = 0, .max = 64});
  }
};
struct Centroids {
  static constexpr std::string_view kName = "centroids";
};
struct Hash {
  static constexpr std::string_view kName = "hash";
  int64_t rounds = 1;
  template <class V>
  void fields(V& v) {
    v("rounds", rounds, {});
  }
};
struct Sparse {
  static constexpr std::string_view kName = "sparse";
  int64_t block = 0;
  int64_t rounds = 1;  // shared with Hash, which is a kind of another choice
  template <class V>
  void fields(V& v) {
    v("block", block, {});
    v("rounds", rounds, {});
  }
};
struct Clustered {
  static constexpr std::string_view kName = "clustered";
  int64_t block = 0;  // shared with Sparse
  OneOf<Centroids, Hash> clustering = {};
  template <class V>
  void fields(V& v) {
    v("block", block, {});
    choice(v, "clustering", clustering, {.help = "how"});
  }
};

struct Attention {
  OneOf<Full, Local, Sparse, Clustered> kind = {};
  int64_t heads = 8;
  double dropout = 0;
  template <class V>
  void fields(V& v) {
    choice(v, "attention", kind, {.help = "which rows"});
    v("heads", heads, {});
    belongs_to<Full, Local>(v, "attention", &kind.selection(), [&] { v("dropout", dropout, {}); });
  }
};

struct ChoiceTable : OptionTable {
  Attention options;
  ChoiceTable() { add(options); }
  void set(const std::string& name, std::string value) {
    assign({name, {std::move(value)}, "--" + name, false});
  }
  std::string answer() const {
    try {
      check_scopes();
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(OptionChoices, AreOptionsFollowedByThoseOfTheirKinds) {
  ChoiceTable table;
  EXPECT_THAT(table.names(), ElementsAre("attention", "window", "block", "rounds", "clustering",
                                         "heads", "dropout"));
  const Option& attention = *table.find("attention");
  EXPECT_EQ(attention.help, "which rows; full: all rows; local: rows nearby");
  EXPECT_EQ(expectation(attention), "one of full, local, sparse, clustered");
  EXPECT_THAT(attention.defaults, ElementsAre("full"));
}

TEST(OptionChoices, AreSelectedByName) {
  ChoiceTable table;
  table.set("attention", "local");
  table.set("window", "3");
  EXPECT_TRUE(table.options.kind.is<Local>());
  EXPECT_EQ(table.options.kind.get<Local>().window, 3);
  EXPECT_EQ(test::message_of<OptionError>([&] { table.set("attention", "locl"); }),
            "--attention: unknown value; expected one of full, local, sparse, clustered, got "
            "'locl'; hint: did you mean local?");
  EXPECT_TRUE(table.options.kind.is<Local>());
}

TEST(OptionChoices, ShareAnOptionThatSeveralKindsHave) {
  ChoiceTable table;
  table.set("block", "4");
  EXPECT_EQ(table.options.kind.get<Sparse>().block, 4);
  EXPECT_EQ(table.options.kind.get<Clustered>().block, 4);
  // The value of the kind selected is the option's.
  table.options.kind = Clustered{.block = 7};
  EXPECT_THAT(values_of(*table.find("block")), ElementsAre("7"));
  table.options.kind.select("sparse");
  EXPECT_THAT(values_of(*table.find("block")), ElementsAre("4"));
}

TEST(OptionChoices, NameTheKindsThatAnOptionBelongsTo) {
  struct Case {
    std::vector<std::pair<std::string, std::string>> settings;
    const char* message;
  };
  const Case cases[] = {
      {{{"window", "3"}}, "--window: belongs to --attention local; got it with full"},
      {{{"attention", "local"}, {"block", "2"}},
       "--block: belongs to --attention sparse or clustered; got it with local"},
      {{{"clustering", "hash"}},
       "--clustering: belongs to --attention clustered; got it with full"},
      {{{"rounds", "2"}}, "--rounds: belongs to --attention sparse or clustered; got it with full"},
      {{{"attention", "clustered"}, {"rounds", "2"}},
       "--rounds: belongs to --clustering hash; got it with centroids"},
      {{{"attention", "sparse"}, {"dropout", "0.5"}},
       "--dropout: belongs to --attention full or local; got it with sparse"},
      {{{"attention", "clustered"}, {"clustering", "hash"}, {"rounds", "2"}}, ""},
      {{{"attention", "sparse"}, {"block", "2"}}, ""},
      {{{"attention", "clustered"}, {"block", "2"}}, ""},
      {{{"window", "0"}, {"dropout", "0.5"}}, ""},
  };
  for (const Case& c : cases) {
    ChoiceTable table;
    for (const auto& [name, value] : c.settings) table.set(name, value);
    EXPECT_EQ(table.answer(), c.message);
  }
}

struct Elsewhere {
  int64_t beam = 5;
  template <class V>
  void fields(V& v) {
    belongs_to<Full, Local>(v, "attention", nullptr, [&] { v("beam", beam, {}); });
  }
};

TEST(OptionChoices, MayBeExternalOrLists) {
  const auto answer = [](const Elsewhere& options, std::vector<Selected> selected) {
    try {
      check_scopes(options, selected);
    } catch (const OptionError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(answer({3}, {}), "");
  EXPECT_EQ(answer({3}, {{"attention", {"local"}}}), "");
  EXPECT_EQ(answer({3}, {{"attention", {"sparse", "full"}}}), "");
  EXPECT_EQ(answer({}, {{"attention", {"sparse"}}}), "");
  EXPECT_EQ(answer({3}, {{"attention", {"sparse", "clustered"}}}),
            "--beam: belongs to --attention full or local; got it with sparse clustered");
  EXPECT_EQ(answer({3}, {{"attention", {"sparse"}, "a model of "}}),
            "--beam: belongs to --attention full or local; got it with a model of sparse");
}

TEST(OptionChoices, RoundTripInYamlAndJson) {
  ChoiceTable table;
  table.set("attention", "clustered");
  table.set("clustering", "hash");
  table.set("rounds", "3");
  table.set("block", "9");
  EXPECT_EQ(to_yaml(table, Dump::kMinimal),
            "attention: clustered\nblock: 9\nrounds: 3\nclustering: hash\n");
  const std::string json = to_json(table);
  EXPECT_EQ(json, R"({"attention":"clustered","window":0,"block":9,"rounds":3,"clustering":"hash",)"
                  R"("heads":8,"dropout":0.0})");
  const auto back = options_from_json<Attention>(json, "m");
  EXPECT_EQ(options_to_json(back), json);
  EXPECT_EQ(test::message_of<FormatError>(
                [] { options_from_json<Attention>(R"({"attention": 3})", "m"); }),
            "m: attention: expected one of full, local, sparse, clustered, got number");
}

struct Arranged {
  int64_t a = 0, b = 0, c = 0, d = 0;
  template <class V>
  void fields(V& v) {
    v("a", a, {});
    v("b", b, {});
    v("c", c, {});
    v("d", d, {});
    static constexpr std::string_view kOrder[] = {"d", "none", "a"};
    options::arrange(v, kOrder);
  }
};

TEST(OptionTable, ReordersOptionsWithinTheirPositions) {
  Arranged options;
  OptionTable table;
  table.add(options);
  EXPECT_THAT(table.names(), ElementsAre("d", "b", "c", "a"));
}

struct SameKindTwice {
  OneOf<Full, Local> one, other;
  template <class V>
  void fields(V& v) {
    choice(v, "one", one, {});
    choice(v, "other", other, {});
  }
};

TEST(OptionTable, RefusesANameSharedByTwoChoices) {
  SameKindTwice options;
  OptionTable table;
  EXPECT_EQ(test::message_of<Error>([&] { table.add(options); }),
            "options: two fields are called 'window'");
}

}  // namespace
}  // namespace weft::options
