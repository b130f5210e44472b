#include "weft/formats/tfrecord.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace weft::formats {
namespace {

// RFC 3720, B.4; "123456789" is the check value of the catalogue of parametrised CRCs.
TEST(Crc32c, AgreesWithPublishedValues) {
  std::string rising(32, '\0');
  std::iota(rising.begin(), rising.end(), '\0');
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(crc32c(rising), 0x46DD794Eu);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

// The bytes that tensorboard 2.20 writes.
TEST(Tfrecord, HasTheBytesOfTensorboard) {
  constexpr char kRecord[] = "\3\0\0\0\0\0\0\0\xb0\x99\x49\x0e\x61\x62\x63\x6e\x57\xf1\x21";
  EXPECT_EQ(tfrecord("abc"), std::string(kRecord, 19));
  EXPECT_EQ(tfrecord(""), std::string("\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2", 16));
}

TEST(Tfrecord, IsReadBack) {
  const std::string first(1000, 'x'), file = tfrecord(first) + tfrecord("") + tfrecord("end");
  TfrecordReader in(file);
  EXPECT_EQ(in.end(), 0u);
  for (const std::string_view expected : {std::string_view(first), {}, std::string_view("end")}) {
    ASSERT_TRUE(in.next());
    EXPECT_EQ(in.data(), expected);
  }
  EXPECT_EQ(in.end(), file.size());
  EXPECT_FALSE(in.next());
}

TEST(Tfrecord, ReadingEndsAtWhatIsCutOff) {
  const std::string one = tfrecord("abc"), two = one + tfrecord("defg");
  for (size_t size = one.size(); size < two.size(); ++size) {
    TfrecordReader in(std::string_view(two).substr(0, size));
    EXPECT_TRUE(in.next());
    EXPECT_FALSE(in.next());
    EXPECT_EQ(in.end(), one.size());
  }
}

TEST(Tfrecord, ReadingEndsAtWhatIsDamaged) {
  const std::string good = tfrecord("abc");
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_FALSE(TfrecordReader(bad).next()) << i;
  }
}

}  // namespace
}  // namespace weft::formats
