#include "weft/core/text/utf16.h"

#include <gtest/gtest.h>

#include "weft/core/text/utf8.h"

namespace weft {
namespace {

std::string bytes_of(std::u16string_view units, Utf16 order) {
  std::string out;
  for (const char16_t unit : units) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    out += order == Utf16::kBigEndian ? high : low;
    out += order == Utf16::kBigEndian ? low : high;
  }
  return out;
}

// Decoded in pieces of this many bytes.
std::string decoded(std::string_view bytes, Utf16 order, size_t piece) {
  Utf16Decoder decoder(order);
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += piece) decoder.decode(bytes.substr(i, piece), out);
  decoder.finish(out);
  return out;
}

TEST(Utf16, IsDecodedInPiecesOfAnySize) {
  const std::u16string text = u"a\u00e9\u4e2d\U0001F600\uffff\n";
  for (const Utf16 order : {Utf16::kLittleEndian, Utf16::kBigEndian}) {
    for (size_t piece = 1; piece < 8; ++piece) {
      EXPECT_EQ(decoded(bytes_of(text, order), order, piece),
                "a\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\xEF\xBF\xBF\n");
    }
  }
}

TEST(Utf16, FaultsAreNotUtf8) {
  const std::u16string faults[] = {
      {u'a', 0xD83D, u'b'}, {0xDE00, u'b'}, {0xD83D}, {0xD83D, 0xD83D}};
  for (const std::u16string& text : faults) {
    const std::string bytes = bytes_of(text, Utf16::kLittleEndian);
    EXPECT_FALSE(valid_utf8(decoded(bytes, Utf16::kLittleEndian, 3)));
  }
  EXPECT_FALSE(valid_utf8(decoded(std::string("a\0b", 3), Utf16::kLittleEndian, 2)));
}

TEST(Utf16, IsToldByItsByteOrderMark) {
  EXPECT_EQ(utf16_of("\xFF\xFE"
                     "a"),
            Utf16::kLittleEndian);
  EXPECT_EQ(utf16_of("\xFE\xFF"), Utf16::kBigEndian);
  EXPECT_FALSE(
      utf16_of("\xEF\xBB\xBF"
               "a"));
  EXPECT_FALSE(utf16_of("\xFF"));
}

}  // namespace
}  // namespace weft
