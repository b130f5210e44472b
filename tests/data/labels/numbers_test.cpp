#include "weft/data/labels/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(NumberReader, ReadsNumbersAndTheirStatistics) {
  NumberReader reader(",", 0);
  for (const char* text : {"1, 10", "+3.0  1e1", "1, 10", "-1,10"}) reader.add(text, "a.tsv:1");
  const NumberTable table = reader.table("a.tsv");
  EXPECT_EQ(table.width, 2);
  EXPECT_EQ(table.texts.size(), 3);
  EXPECT_THAT(table[table.texts.find("-1,10")], ElementsAre(-1, 10));
  EXPECT_THAT(table.values, ElementsAre(1, 10, 3, 10, -1, 10));
  EXPECT_THAT(table.statistics.mean, ElementsAre(1, 10));  // of four examples
  EXPECT_THAT(table.statistics.deviation, ElementsAre(testing::DoubleNear(std::sqrt(2), 1e-6), 1));
}

TEST(NumberReader, NamesTheLineOfWhatIsNoNumber) {
  const auto error = [](const char* text, int64_t width = 2) {
    return test::message_of<FormatError>([&] { NumberReader("", width).add(text, "a.tsv:7"); });
  };
  EXPECT_EQ(error("1 two"), "a.tsv:7: 'two' is not a number; expected one such as 3.5 or -1e-3");
  for (const char* text :
       {"nan 1", "1 inf", "1e39 1", "1,5 2", "0x1 1", "1 --1", "1 +-1", "1e 1", "1\t2"}) {
    EXPECT_THAT(error(text), HasSubstr("is not a number")) << text;
  }
  EXPECT_EQ(error("1"), "a.tsv:7: 1 number in '1'; expected 2");
  EXPECT_EQ(error("1 2 3"), "a.tsv:7: 3 numbers in '1 2 3'; expected 2");
  EXPECT_EQ(error(" ", 0), "a.tsv:7: 0 numbers in ' '; expected 1");
  EXPECT_THAT(test::message_of<FormatError>([] { NumberReader("", 0).table("a.tsv"); }),
              HasSubstr("a.tsv: "));
}

}  // namespace
}  // namespace weft::data
