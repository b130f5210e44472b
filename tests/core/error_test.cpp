#include "weft/core/error.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Fail, ThrowsTheKindWithPrefixAndMessage) {
  try {
    fail<ShapeError>("softmax", "axis {} out of range for {}", 3, "[2, 4]");
    FAIL();
  } catch (const ShapeError& error) {
    EXPECT_STREQ(error.what(), "softmax: axis 3 out of range for [2, 4]");
  }
}

TEST(Fail, DoesNotFormatThePrefix) {
  try {
    fail("{}.yml", "bad");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "{}.yml: bad");
  }
}

TEST(Fail, MakesEveryKindAnError) {
  EXPECT_THROW(fail<OptionError>("a", "b"), Error);
  EXPECT_THROW(fail<FileError>("a", "b"), Error);
  EXPECT_THROW(fail<FormatError>("a", "b"), Error);
  EXPECT_THROW(fail<NumericError>("a", "b"), Error);
}

TEST(Quote, KeepsAMessageOnOneShortLine) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("a\nb\tc\x01"), "'a\\nb\\tc\\x01'");
  EXPECT_EQ(quote(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(quote(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
}

TEST(Quote, TruncatesAtCodePoints) {
  const std::string before(59, 'x');
  EXPECT_EQ(quote(before + "\xC3\xA9 and more"), "'" + before + "...'");
  EXPECT_EQ(quote(std::string(58, 'x') + "\xC3\xA9 and more"),
            "'" + std::string(58, 'x') + "\xC3\xA9...'");
}

}  // namespace
}  // namespace weft
