#include "weft/data/options.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::data {
namespace {

TEST(DataOptions, NameEachFieldOnceWithHelp) {
  std::set<std::string_view> names;
  std::set<char> letters;
  const auto visitor = [&](std::string_view name, auto&, const options::Meta& meta) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_FALSE(meta.help.empty()) << name;
    EXPECT_TRUE(meta.letter == 0 || letters.insert(meta.letter).second) << name;
  };
  DataOptions options;
  options.fields(visitor);
  EXPECT_EQ(names.size(), 13);
  EXPECT_EQ(letters, (std::set<char>{'t', 'v'}));
}

}  // namespace
}  // namespace weft::data
