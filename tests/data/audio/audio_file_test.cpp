#include "weft/data/audio/audio_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/sounds.h"
#include "weft/core/error.h"

// Read by LeakSanitizer: libsndfile keeps memory of damaged Ogg files.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:vorbis_info_init\n"; }

namespace weft::data {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class AudioFile : public testing::Test {
 protected:
  std::string error_of(const std::string& path) const {
    return test::message_of<Error>([&] { read_audio(path, 8000); });
  }
  test::Scratch folder_;
};

TEST_F(AudioFile, HasItsSamples) {
  const std::vector<int16_t> samples = {0, 16384, -32768, 8192};
  const Audio audio = read_audio(folder_.file("x.wav", test::wav_of(samples, 8000)), 8000);
  EXPECT_THAT(audio.samples, testing::ElementsAre(0, 0.5, -1, 0.25));
  EXPECT_EQ(audio.rate, 8000);
  EXPECT_EQ(audio.file_rate, 8000);
  EXPECT_EQ(audio.channels, 1);
  EXPECT_DOUBLE_EQ(audio.seconds(), 0.0005);
}

TEST_F(AudioFile, IsTheMeanOfItsChannels) {
  const std::vector<int16_t> samples = {16384, 0, -16384, -16384};
  const Audio audio = read_audio(folder_.file("x.wav", test::wav_of(samples, 8000, 2)), 8000);
  EXPECT_THAT(audio.samples, testing::ElementsAre(0.25, -0.5));
  EXPECT_EQ(audio.channels, 2);
}

struct FormatCase {
  const char* name;
  double height, tolerance;
};

// Written by tools/golden/sounds.py: a sine of 440 Hz, 1600 samples.
TEST_F(AudioFile, IsReadInEachFormat) {
  for (const auto& [name, height, tolerance] :
       {FormatCase{"tone.flac", 0.25, 1e-4}, FormatCase{"tone.ogg", 0.25, 0.03},
        FormatCase{"tone_24.wav", 0.25, 1e-6}, FormatCase{"stereo.wav", 0.125, 1e-4}}) {
    const Audio audio =
        read_audio(test::source_path(std::string("tests/golden/sounds/") + name), 8000);
    ASSERT_EQ(audio.samples.size(), 1600u) << name;
    EXPECT_EQ(audio.channels, height == 0.125 ? 2 : 1) << name;
    for (size_t i = 100; i < 1500; ++i) {
      const double expected = height * std::sin(2 * std::numbers::pi * 440 * i / 8000);
      ASSERT_NEAR(audio.samples[i], expected, tolerance) << name << ", " << i;
    }
  }
}

// A file that was cut off gives the samples before the cut, or an error that names the file.
TEST_F(AudioFile, ThatIsCutOffIsReadOrNamed) {
  for (const char* name : {"tone.flac", "tone.ogg", "tone_24.wav"}) {
    const std::string whole =
        test::read_bytes(test::source_path(std::string("tests/golden/sounds/") + name));
    for (size_t bytes = 0; bytes < whole.size(); bytes += 97) {
      const std::string path = folder_.file("cut", whole.substr(0, bytes));
      try {
        EXPECT_LE(read_audio(path, 8000).samples.size(), 1600u);
      } catch (const FormatError& error) {
        EXPECT_THAT(error.what(), testing::StartsWith(path + ": "));
      }
    }
  }
}

// A sine keeps its frequency, and as many seconds, also where it comes in several blocks.
TEST_F(AudioFile, IsResampled) {
  for (const int rate : {4000, 11025, 44100}) {
    SCOPED_TRACE(rate);
    const auto tone = test::tone(2 * rate, 440, rate);
    const Audio audio = read_audio(folder_.file("x.wav", test::wav_of(tone, rate)), 8000);
    EXPECT_EQ(audio.file_rate, rate);
    ASSERT_NEAR(static_cast<double>(audio.samples.size()), 16000, 2);
    for (size_t i = 1000; i < 15000; ++i) {  // away from the ends
      const double expected = 8000.0 / 32768 * std::sin(2 * std::numbers::pi * 440 * i / 8000);
      ASSERT_NEAR(audio.samples[i], expected, 1e-3) << i;
    }
  }
}

TEST_F(AudioFile, ThatIsWrongIsNamed) {
  const std::string whole = test::wav_of(test::tone(4000, 440, 8000), 8000);
  EXPECT_THAT(error_of(folder_.path("none.wav")), HasSubstr("none.wav: cannot be opened"));
  EXPECT_THAT(error_of(folder_.folder()), HasSubstr("directory"));
  EXPECT_THAT(error_of(folder_.file("empty.wav", "")), EndsWith("expected WAV, FLAC or Ogg"));
  EXPECT_THAT(error_of(folder_.file("text.wav", "one two three\n")),
              EndsWith("expected WAV, FLAC or Ogg"));
  EXPECT_THAT(error_of(folder_.file("header.wav", whole.substr(0, 44))),
              EndsWith("header.wav: has no samples"));
  std::string silent = test::wav_of({}, 8000);
  EXPECT_THAT(error_of(folder_.file("none.wav", silent)), EndsWith("none.wav: has no samples"));
}

TEST_F(AudioFile, RefusesASampleThatIsNotFinite) {
  // Of floats: the format is 3, with 32 bits.
  std::string bytes = test::wav_of(std::vector<int16_t>(8), 8000);
  bytes[20] = 3;
  bytes[32] = 4;
  bytes[34] = 32;
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + 48, &bad, 4);
  EXPECT_THAT(error_of(folder_.file("x.wav", bytes)),
              EndsWith("a sample is not finite; expected numbers from -1 to 1"));
}

}  // namespace
}  // namespace weft::data
