#include "weft/data/audio/raw_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using namespace std::string_view_literals;

template <class Kind>
std::vector<float> decoded(std::string_view bytes, int64_t channels = 1) {
  RawDecoder decoder(Kind(), channels);
  std::vector<float> out;
  decoder.add(bytes, "stdin", out);
  EXPECT_EQ(decoder.rest(), 0u);
  return out;
}

TEST(RawSamples, AreNumbersFromMinusOneToOne) {
  EXPECT_THAT(decoded<UnsignedBytes>("\x00\x80\xC0"sv), ElementsAre(-1, 0, 0.5));
  EXPECT_THAT(decoded<Integers16>("\x00\x80\x00\x00\x00\x40"sv), ElementsAre(-1, 0, 0.5));
  EXPECT_THAT(decoded<Integers24>("\x00\x00\x80\x00\x00\x20"sv), ElementsAre(-1, 0.25));
  EXPECT_THAT(decoded<Integers32>("\x00\x00\x00\x80\x00\x00\x00\x40"sv), ElementsAre(-1, 0.5));
  EXPECT_THAT(decoded<Floats32>("\x00\x00\x80\xBF\x00\x00\x00\x3F"sv), ElementsAre(-1, 0.5));
}

TEST(RawSamples, AreTheMeanOfTheirChannels) {
  EXPECT_THAT(decoded<UnsignedBytes>("\x00\x80\xC0\xC0"sv, 2), ElementsAre(-0.5, 0.5));
}

TEST(RawSamples, MayBeCutAnywhere) {
  RawDecoder decoder(Integers16(), 2);
  std::vector<float> out;
  for (const char byte : "\x00\x40\x00\x40\x00\xC0\x00\xC0\x01"sv) {
    decoder.add({&byte, 1}, "stdin", out);
  }
  EXPECT_THAT(out, ElementsAre(0.5, -0.5));
  EXPECT_EQ(decoder.rest(), 1u);
}

TEST(RawSamples, ThatAreNotFiniteAreRefused) {
  EXPECT_EQ(test::message_of<FormatError>([] { decoded<Floats32>("\x00\x00\x80\x7F"sv); }),
            "stdin: a sample is not finite; expected numbers from -1 to 1");
}

}  // namespace
}  // namespace weft::data
