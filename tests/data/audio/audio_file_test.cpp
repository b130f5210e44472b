#include "weft/data/audio/audio_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numbers>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"
#include "tests/support/sounds.h"
#include "weft/core/error.h"
#include "weft/data/audio/sound_format.h"

// Read by LeakSanitizer: libsndfile keeps memory of damaged Ogg files.
extern "C" [[gnu::visibility("default")]] const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:vorbis_info_init\n"; }

namespace weft::data {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct Audio {
  std::vector<float> samples;
  int64_t file_rate, channels;
  double seconds;
};
Audio read_audio(const std::string& path, int64_t rate) {
  AudioFile file(path, rate);
  std::vector<float> samples;
  while (file.read(samples)) {
  }
  return {std::move(samples), file.file_rate(), file.channels(), file.seconds()};
}

class Sounds : public testing::Test {
 protected:
  std::string error_of(const std::string& path) const {
    return test::message_of<Error>([&] { read_audio(path, 8000); });
  }
  test::Scratch folder_;
};

TEST_F(Sounds, HaveTheirSamples) {
  const std::vector<int16_t> samples = {0, 16384, -32768, 8192};
  const Audio audio = read_audio(folder_.file("x.wav", test::wav_of(samples, 8000)), 8000);
  EXPECT_THAT(audio.samples, testing::ElementsAre(0, 0.5, -1, 0.25));
  EXPECT_EQ(audio.file_rate, 8000);
  EXPECT_EQ(audio.channels, 1);
  EXPECT_DOUBLE_EQ(audio.seconds, 0.0005);
}

TEST_F(Sounds, AreTheMeanOfTheirChannels) {
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
TEST_F(Sounds, AreReadInEachFormat) {
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
TEST_F(Sounds, ThatAreCutOffAreReadOrNamed) {
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
TEST_F(Sounds, AreResampled) {
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

TEST_F(Sounds, ThatAreWrongAreNamed) {
  const std::string whole = test::wav_of(test::tone(4000, 440, 8000), 8000);
  EXPECT_THAT(error_of(folder_.path("none.wav")), HasSubstr("none.wav: cannot be opened"));
  EXPECT_THAT(error_of(folder_.folder()), HasSubstr("directory"));
  EXPECT_THAT(error_of(folder_.file("empty.wav", "")),
              EndsWith(std::string("expected ") + kSoundFormats));
  EXPECT_THAT(error_of(folder_.file("text.wav", "one two three\n")),
              EndsWith(std::string("expected ") + kSoundFormats));
  EXPECT_THAT(error_of(folder_.file("header.wav", whole.substr(0, 44))),
              EndsWith("header.wav: has no samples"));
  std::string silent = test::wav_of({}, 8000);
  EXPECT_THAT(error_of(folder_.file("none.wav", silent)), EndsWith("none.wav: has no samples"));
}

// MIDI Sample Dump: a header of 21 bytes, and a packet whose first byte is not 0xF0, about which
// libsndfile prints.
std::string damaged_sample_dump() {
  std::string out(
      "\xF0\x7E\x00\x01\x00\x00\x10\x24\x1D\x01\x64\x00\x00\x00\x00\x00\x00\x00\x00\x7F\xF7", 21);
  return out + std::string(2 * 127, '\1');
}

TEST_F(Sounds, OfOtherFormatsAreRefusedWithoutAWord) {
  const std::string dump = damaged_sample_dump();
  const std::string tag("ID3\x04\0\0\0\0\0\x02..", 12);
  const std::string wav = test::wav_of(test::tone(400, 440, 8000), 8000);
  testing::internal::CaptureStdout();
  for (const auto& [name, bytes] : std::map<std::string, std::string>{
           {"dump.sds", dump},
           {"tagged.mp3", tag + dump},
           {"raw.vox", std::string(400, '\x11')},  // a file without a header, by its name
           {"raw.gsm", std::string(330, '\xD1')},
           {"svx.iff", "FORM\1\1\1\0018SVX" + dump},
           {"riff.wav", "RIFF\1\1\1\1AVI " + dump}}) {
    EXPECT_EQ(error_of(folder_.file(name, bytes)),
              folder_.path(name) + ": unknown format; expected " + kSoundFormats);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(read_audio(folder_.file("tagged.wav", tag + wav), 8000).samples.size(), 400u);
}

TEST_F(Sounds, ThatArePipesAreRefused) {
  const std::string fifo = folder_.path("fifo.wav");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(error_of(fifo), fifo + ": is a pipe or a device; expected a regular file");
}

TEST_F(Sounds, WithASampleThatIsNotFiniteAreRefused) {
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
