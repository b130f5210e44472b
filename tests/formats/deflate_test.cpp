// Compression and base64, read back by other code: zlib, and known texts.
#include "weft/formats/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "weft/formats/base64.h"

namespace weft::formats {
namespace {

TEST(Deflate, ZlibReadsItBack) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(100'000, 'x'), std::string("\0\xff\n", 3)}) {
    const std::string packed = deflate(text);
    std::string out(text.size() + 1, '?');
    uLongf size = out.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                         reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
              Z_OK);
    out.resize(size);
    EXPECT_EQ(out, text);
  }
  EXPECT_LT(deflate(std::string(100'000, 'x')).size(), 1000u);
}

// The vectors of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
}

}  // namespace
}  // namespace weft::formats
