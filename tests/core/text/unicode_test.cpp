#include "weft/core/text/unicode.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

namespace weft {
namespace {

using namespace std::string_view_literals;

TEST(Lowercase, FollowsUnicode) {
  EXPECT_EQ(to_lower(U"ÀÉ ЖЯ ß Ǆ Ⅷ"), U"àé жя ß ǆ ⅷ");
  EXPECT_EQ(to_lower(U"ΟΔΟΣ ΣΟΦΟΣ. Σ"), U"οδος σοφος. σ");
  EXPECT_EQ(to_lower(U"İ"), U"i\u0307");
  EXPECT_EQ(to_lower(U"\U00010400𝐀 ᲐᲑ"), U"\U00010428𝐀 აბ");
  EXPECT_EQ(to_lower(U""), U"");
}

// The Case_Ignorable characters, which Python's str.lower() skips.
TEST(Lowercase, SkipsCaseIgnorableBeforeFinalSigma) {
  EXPECT_EQ(to_lower(U"ΑΣ\u200DΑ ΑΣ\u2024Α Α\u0301Σ\u0301"), U"ασ\u200Dα ασ\u2024α α\u0301ς\u0301");
}

TEST(Lowercase, KeepsLoneSurrogates) {
  const std::u32string wrong = {U'A', 0xDC80, 0xDCFF, U'B'};
  EXPECT_EQ(to_lower(wrong), (std::u32string{U'a', 0xDC80, 0xDCFF, U'b'}));
}

TEST(UpperCase, FollowsUnicode) {
  EXPECT_EQ(to_upper(U"àé жя ß ﬁ ǆ ŉ ΐ ᾳ i"), U"ÀÉ ЖЯ SS FI Ǆ ʼN Ι\u0308\u0301 ΑΙ I");
  EXPECT_EQ(to_upper(U"\U00010428 𝐀 1."), U"\U00010400 𝐀 1.");
  EXPECT_EQ(to_upper(U""), U"");
}

TEST(SentenceMarks, AreThoseOfEveryScript) {
  using enum SentenceMark;
  const std::pair<std::u32string_view, SentenceMark> cases[] = {
      {U".\uFF0E", kFullStop},
      {U"!?\u061F\u06D4\u0964\u0589\u1362\u104B\u3002\uFF01\u203D\u0702", kTerminator},
      {U"(\u201C\u00AB\u300C", kOpening},
      {U")\"'\u201D\u00BB\u300D\uFF02", kClosing},
      {U" \t\u00A0\u202F\u3000", kSpace},
      {U"a1,;-\u4E2D\u0301", kNone}};
  for (const auto& [characters, mark] : cases) {
    for (const char32_t c : characters) {
      EXPECT_EQ(sentence_mark_of(c), mark) << static_cast<uint32_t>(c);
    }
  }
}

TEST(ChineseAndJapanese, ArePunctuationToo) {
  for (const char32_t c : U"中々ぁカｶㄅ。！」\U00020000"sv) EXPECT_TRUE(is_chinese_or_japanese(c));
  for (const char32_t c : U"aя예😀.!é "sv) EXPECT_FALSE(is_chinese_or_japanese(c));
}

// As many as Unicode 15.0 has of each.
TEST(UnicodeTables, HoldTheCharactersOfTheirProperties) {
  std::map<SentenceMark, int> marks;
  int upper = 0, digits = 0, wide = 0, lowered = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    ++marks[sentence_mark_of(c)];
    upper += is_upper(c) ? 1 : 0;
    digits += is_digit(c) ? 1 : 0;
    wide += is_chinese_or_japanese(c) ? 1 : 0;
    lowered += to_lower({&c, 1}) != std::u32string_view(&c, 1) ? 1 : 0;
  }
  using enum SentenceMark;
  EXPECT_EQ(marks[kFullStop], 4);
  EXPECT_EQ(marks[kTerminator], 151);
  EXPECT_EQ(marks[kOpening], 91);
  EXPECT_EQ(marks[kClosing], 106);
  EXPECT_EQ(marks[kSpace], 20);
  EXPECT_EQ(upper, 1831);
  EXPECT_EQ(digits, 680);
  EXPECT_EQ(wide, 99593);
  EXPECT_EQ(lowered, 1433);
}

}  // namespace
}  // namespace weft
