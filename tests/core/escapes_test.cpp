#include "weft/core/text/escapes.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Escapes, MakeALineOfAText) { EXPECT_EQ(escaped("a\nb\\n\r"), "a\\nb\\\\n\\r"); }

TEST(Escapes, AreReadFromALine) {
  const std::string text = "a\nb\\n\r\\";
  EXPECT_EQ(unescaped(escaped(text)), text);
  EXPECT_EQ(unescaped("\\tb \\x \\"), "\tb \\x \\");
}

}  // namespace
}  // namespace weft
