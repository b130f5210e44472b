#include "weft/core/message.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

template <class... Values>
std::string text_of(MessageText<sizeof...(Values)> text, const Values&... values) {
  return message(text, {MessageValue(values)...});
}

TEST(Message, PutsValuesInPlaceOfBraces) {
  EXPECT_EQ(text_of("no value"), "no value");
  EXPECT_EQ(text_of("{}, {} and {{{}}}", 1, std::string("two"), "three"), "1, two and {three}");
}

TEST(Message, WritesEveryTypeAsItReads) {
  EXPECT_EQ(text_of("{} {}", true, 'c'), "true c");
  EXPECT_EQ(text_of("{} {} {}", int8_t{-8}, uint8_t{200}, int16_t{-3}), "-8 200 -3");
  EXPECT_EQ(text_of("{} {}", INT64_MIN, UINT64_MAX), "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(text_of("{} {}", size_t{7}, 7LL), "7 7");
  EXPECT_EQ(text_of("{} {} {}", 0.1F, 0.1, 1e-6), "0.1 0.1 1e-06");
  EXPECT_EQ(text_of("{} {}", std::string_view("view"), std::string()), "view ");
}

}  // namespace
}  // namespace weft
