#include "weft/data/file_kind.h"

#include <gtest/gtest.h>

namespace weft::data {
namespace {

TEST(FileKind, IsToldByTheFirstBytes) {
  const auto kind_with = [](std::string bytes) {
    bytes.resize(64);
    return kind_of(bytes);
  };
  EXPECT_EQ(kind_with("\x89PNG\r\n\x1A\n"), FileKind::kPicture);
  EXPECT_EQ(kind_with("\xFF\xD8\xFF\xE0"), FileKind::kPicture);
  for (const char* sound : {"RIFF----WAVE", "fLaC", "OggS", "FORM----AIFF", ".snd", "NIST_1A",
                            "ID3\4----\1\1", "\xFF\xFB\x90"}) {
    EXPECT_EQ(kind_with(sound), FileKind::kSound) << sound;
  }
}

// The mark of UTF-16 begins as a frame of MPEG audio does.
TEST(FileKind, IsNoneOfLists) {
  EXPECT_EQ(kind_of(std::string("\xFF\xFE"
                                "a\0.\0p\0n\0g\0\n\0-",
                                14)),
            std::nullopt);
  EXPECT_EQ(kind_of("a/picture.png\nb/picture.png\n"), std::nullopt);
  EXPECT_EQ(kind_of(""), std::nullopt);
}

}  // namespace
}  // namespace weft::data
