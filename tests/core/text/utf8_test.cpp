#include "weft/core/text/utf8.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

struct Case {
  std::string_view text;
  bool is_valid;
  std::string_view why;
};

const Case kCases[] = {
    {"", true, "nothing"},
    {"plain ASCII, longer than eight bytes", true, "ASCII"},
    {std::string_view("a\0b", 3), true, "a zero byte"},
    {"caf\xC3\xA9 \xE4\xBD\xA0\xE5\xA5\xBD \xF0\x9F\x98\x80", true, "two, three and four bytes"},
    {"\xEF\xBF\xBF\xF4\x8F\xBF\xBF", true, "the last code points"},
    {"\xED\x9F\xBF\xEE\x80\x80", true, "around the surrogates"},
    {"\x80", false, "a lone continuation"},
    {"12345678\xFF", false, "a byte of no sequence after eight good ones"},
    {"\xC0\xAF", false, "an overlong slash"},
    {"\xC1\xBF", false, "an overlong form of two bytes"},
    {"\xE0\x9F\xBF", false, "an overlong form of three bytes"},
    {"\xF0\x8F\xBF\xBF", false, "an overlong form of four bytes"},
    {"\xED\xA0\x80", false, "a surrogate"},
    {"\xF4\x90\x80\x80", false, "above U+10FFFF"},
    {"\xF5\x80\x80\x80", false, "a first byte too large"},
    {"ab\xE4\xBD", false, "cut off"},
    {"\xE4\xBDz", false, "broken by ASCII"},
    {"Gr\xFC\xDF", false, "Latin-1"},
};

TEST(Utf8, IsRecognised) {
  for (const Case& c : kCases) EXPECT_EQ(valid_utf8(c.text), c.is_valid) << c.why;
}

TEST(Utf8, RepairedTextIsValidAndKeepsValidParts) {
  for (const Case& c : kCases) {
    const std::string repaired = repair_utf8(c.text);
    EXPECT_TRUE(valid_utf8(repaired)) << c.why;
    EXPECT_EQ(repaired == c.text, c.is_valid) << c.why;
  }
  EXPECT_EQ(repair_utf8("Gr\xFC\xDF, \xC3\xA9"), "Gr\xEF\xBF\xBD\xEF\xBF\xBD, \xC3\xA9");
}

TEST(Utf8, LengthIsThatOfTheFirstCodePoint) {
  EXPECT_EQ(utf8_length("ab"), 1);
  EXPECT_EQ(utf8_length("\xC3\xA9x"), 2);
  EXPECT_EQ(utf8_length("\xE4\xBD\xA0x"), 3);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98\x80x"), 4);
  EXPECT_EQ(utf8_length(""), 0);
  EXPECT_EQ(utf8_length("\xF0\x9F\x98"), 0);
}

TEST(Utf8, DecodesTheFirstCodePoint) {
  const std::pair<std::string_view, char32_t> cases[] = {{"ab", U'a'},
                                                         {"\xC3\xA9x", U'\u00E9'},
                                                         {"\xE4\xBD\xA0x", U'\u4F60'},
                                                         {"\xF4\x8F\xBF\xBF", U'\U0010FFFF'}};
  for (const auto& [text, expected] : cases) {
    char32_t c = 0;
    EXPECT_EQ(decode_code_point(text, c), utf8_length(text));
    EXPECT_EQ(c, expected);
  }
  char32_t untouched = 7;
  EXPECT_EQ(decode_code_point("\xED\xA0\x80", untouched), 0);
  EXPECT_EQ(untouched, 7);
}

}  // namespace
}  // namespace weft
