#include "weft/core/files/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

uint64_t checksum_of(std::string_view text) {
  Checksum sum;
  sum.add(text);
  return sum.value();
}

// Values of xxHash's sanity check.
TEST(Checksum, IsXxh3) {
  EXPECT_EQ(checksum_of(""), 0x2D06800538D394C2u);
  std::string bytes;
  uint64_t generator = 2654435761u;
  for (int i = 0; i < 2367; ++i) {
    bytes += static_cast<char>(generator >> 56);
    generator *= 11400714785074694797u;
  }
  EXPECT_EQ(checksum_of(bytes.substr(0, 1)), 0xC44BDFF4074EECDBu);
  EXPECT_EQ(checksum_of(bytes.substr(0, 403)), 0xCDEB804D65C6DEA4u);
  EXPECT_EQ(checksum_of(bytes), 0xCB37AEB9E5D361EDu);
}

TEST(Checksum, DoesNotDependOnTheSplit) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i);
  const uint64_t whole = checksum_of(text);
  for (const size_t size : {1, 7, 64, 1000}) {
    Checksum sum;
    for (size_t i = 0; i < text.size(); i += size) sum.add(text.substr(i, size));
    EXPECT_EQ(sum.value(), whole) << size;
  }
}

}  // namespace
}  // namespace weft
