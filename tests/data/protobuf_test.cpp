#include "weft/data/protobuf.h"

#include <limits>

#include "tests/data/files.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

TEST(Protobuf, WhatIsWrittenIsRead) {
  ProtobufWriter out;
  out.integer(1, 300);
  out.integer(2, std::numeric_limits<uint64_t>::max());
  out.number(3, -1.5F);
  out.bytes(200, "text");
  EXPECT_EQ(out.text().substr(0, 3), "\x08\xAC\x02");
  ProtobufReader in(out.text(), "m");
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.field(), 1u);
  EXPECT_EQ(in.integer(), 300u);
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.integer(), std::numeric_limits<uint64_t>::max());
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.number(), -1.5F);
  ASSERT_TRUE(in.next());
  EXPECT_EQ(in.field(), 200u);
  EXPECT_EQ(in.bytes(), "text");
  EXPECT_FALSE(in.next());
}

TEST(Protobuf, DoublesAreLittleEndian) {
  ProtobufWriter out;
  out.real(1, 1.5);
  const std::vector<double> values = {1.5, -2};
  out.reals(2, values);
  const std::string one("\0\0\0\0\0\0\xF8\x3F", 8), two("\0\0\0\0\0\0\0\xC0", 8);
  EXPECT_EQ(out.text(), "\x09" + one + "\x12\x10" + one + two);
}

TEST(Protobuf, WhatIsCutOffOrMalformedIsAnError) {
  for (const std::string_view bytes :
       {std::string_view("\x08", 1), std::string_view("\x08\x80", 2),
        std::string_view("\x0A\x02x", 3), std::string_view("\x0D\0\0\0", 4),
        std::string_view("\x09\0\0\0\0\0\0\0", 8), std::string_view("\x0B\x0C", 2),
        std::string_view("\0\0", 2), std::string_view("\x0F", 1),
        std::string_view("\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11),
        std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 11)}) {
    EXPECT_THROW(ProtobufReader(bytes, "m").next(), FormatError);
  }
}

TEST(Protobuf, AFieldOfAnotherTypeIsAnError) {
  ProtobufWriter out;
  out.integer(7, 1);
  ProtobufReader in(out.text(), "m");
  ASSERT_TRUE(in.next());
  EXPECT_EQ(message_of<FormatError>([&] { in.bytes(); }),
            "m: field 7 has the wire type 0; expected 2");
  EXPECT_THROW(in.number(), FormatError);
}

}  // namespace
}  // namespace weft::data
