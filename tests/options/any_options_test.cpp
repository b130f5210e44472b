#include "weft/options/any_options.h"

#include <gtest/gtest.h>

#include "weft/options/json.h"

namespace weft::options {
namespace {

struct Sizes {
  int64_t width = 3;

  template <class V>
  void fields(V& v) {
    v("width", width);
  }
};

TEST(AnyOptions, KeepTheirValuesAndKnowTheirDefaults) {
  Sizes sizes;
  sizes.width = 7;
  const AnyOptions options(sizes);
  EXPECT_EQ(to_json(options.table()), "{\"width\":7}");
  EXPECT_EQ(to_json(options.defaults().table()), "{\"width\":3}");
}

TEST(AnyOptions, AreSetThroughTheirTable) {
  const AnyOptions options = AnyOptions(Sizes{}).defaults();
  OptionTable table = options.table();
  read_json(table, "{\"width\":5}", "here");
  EXPECT_EQ(to_json(options.table()), "{\"width\":5}");
}

}  // namespace
}  // namespace weft::options
