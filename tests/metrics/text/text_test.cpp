#include "weft/metrics/text/text.h"

#include <gtest/gtest.h>

namespace weft::metrics {
namespace {

TEST(Utf8, RoundTripsEveryByteSequence) {
  const std::string cases[] = {"plain",
                               "Zürich \u4e2d \U0001F44D",
                               "cut \xE4\xB8",
                               "overlong \xC0\xAF \xE0\x80\x80",
                               "surrogate \xED\xA0\x80",
                               "beyond \xF4\x90\x80\x80 \xFF\xFE",
                               std::string("zero \0 byte", 11)};
  for (const std::string& text : cases) EXPECT_EQ(encode_utf8(decode_utf8(text)), text);
}

TEST(Utf8, MapsInvalidBytesToSurrogates) {
  EXPECT_EQ(decode_utf8("a\xC3"), (std::u32string{U'a', 0xDCC3}));
  EXPECT_EQ(decode_utf8("\xC3\xA9"), U"\u00E9");
}

TEST(Split, SplitsAtAllWhitespace) {
  const std::vector<std::u32string> expected = {U"a", U"b", U"c\u200Bd"};
  EXPECT_EQ(split(U"\u3000a \u00A0b\x1C"
                  U"c\u200Bd\t"),
            expected);
  EXPECT_TRUE(split(U" \n").empty());
}

}  // namespace
}  // namespace weft::metrics
