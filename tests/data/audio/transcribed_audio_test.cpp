#include "weft/data/audio/transcribed_audio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "tests/support/sounds.h"
#include "weft/core/error.h"
#include "weft/data/audio/sound_frames.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr LogMelOptions kBanks{.sample_rate = 8000, .mel_bins = 8};  // frames of 200, every 80

class Transcribed : public testing::Test {
 protected:
  Transcribed() {
    std::filesystem::create_directory(folder_.path("wav"));
    folder_.file("wav/one.wav", test::wav_of(test::tone(440, 300, 8000), 8000));  // 4 frames
    folder_.file("wav/two.wav", test::wav_of(test::tone(840, 500, 8000), 8000));  // 9 frames
    folder_.file("wav/other.wav", test::wav_of(test::tone(1200, 500, 16000), 16000));
    folder_.file("wav/tiny.wav", test::wav_of(test::tone(100, 500, 8000), 8000));  // none
  }
  TranscribedAudio read(const std::string& lines,
                        const TranscribedAudioOptions& options = {}) const {
    const auto words = make_plain_tokeniser(Vocabulary({"a", "b"}, "words"));
    return {{folder_.file("x.tsv", lines)}, LogMel(kBanks), words, options};
  }
  std::string error_of(const std::string& lines) const {
    return test::message_of<FormatError>([&] { read(lines); });
  }
  test::Scratch folder_;
};

TEST_F(Transcribed, HasFramesAndTokens) {
  const TranscribedAudio found = read("wav/one.wav\ta b\nwav/two.wav\tb\n");
  EXPECT_EQ(found.size(), 2);
  EXPECT_EQ(found.cost(1).rows, 9);
  EXPECT_EQ(found.tokens(0), 3);  // and the end symbol
  EXPECT_THAT(found.texts(), ElementsAre("a b", "b"));
  const Batch batch = found.batch(std::vector<int64_t>{1, 0});
  const auto& frames = std::get<Features>(batch.fields[0]);
  EXPECT_THAT(frames.segments.offsets, ElementsAre(0, 9, 13));
  EXPECT_EQ(frames.width, 8);
  const std::vector<float> expected =
      read_frames(folder_.path("wav/two.wav"), LogMel(kBanks)).frames;
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), frames.values.begin()));
  EXPECT_THAT(batch.tokens(1).ids, ElementsAre(4, 0, 3, 4, 0));
  EXPECT_EQ(found.statistics().mean.size(), 8u);
  EXPECT_THAT(found.report(), EndsWith("x.tsv: 2 sounds, 0.00 hours, 5 tokens"));
}

TEST_F(Transcribed, CountsWhatIsLeftOutAndChanged) {
  const TranscribedAudio found =
      read("wav/one.wav\ta\nwav/two.wav\tb\nwav/other.wav\ta\nwav/tiny.wav\ta\n",
           {.max_seconds = 0.1, .why_unfit = [](int64_t frames, auto) {
              return std::string(frames == 4 ? "too short for their text" : "");
            }});
  EXPECT_THAT(found.texts(), ElementsAre("a"));
  EXPECT_THAT(found.report(),
              HasSubstr("1 sound, 0.00 hours, 2 tokens; 1 over 0.1 seconds left "
                        "out, 1 shorter than a frame left out, 1 too short for their text "
                        "left out, 1 resampled"));
}

TEST_F(Transcribed, LeavesOutWhatCannotBeRead) {
  folder_.file("wav/Thumbs.db", "no sound");
  const std::string lines = "wav/Thumbs.db\ta\nwav/one.wav\tb\nwav/gone.wav\ta\n";
  const test::CapturedLog log;
  const TranscribedAudio found = read(lines, {.bad_files = BadFiles::kSkip});
  EXPECT_THAT(found.texts(), ElementsAre("b"));
  EXPECT_THAT(found.report(), EndsWith("1 sound, 0.00 hours, 2 tokens; 2 files left out"));
  EXPECT_THAT(log.warnings(), HasSubstr("x.tsv:1: "));
  EXPECT_THAT(log.warnings(), HasSubstr("x.tsv:3: "));
}

// The end of this sound, five seconds on, is damaged.
TEST_F(Transcribed, IsNotReadToTheEndOfALongSound) {
  std::string bytes = test::wav_of(std::vector<int16_t>(80000), 8000);
  bytes[20] = 3;  // 40,000 floats of 32 bits
  bytes[32] = 4;
  bytes[34] = 32;
  const float bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bytes.data() + bytes.size() - 4, &bad, 4);
  folder_.file("wav/long.wav", bytes);
  const std::string lines = "wav/one.wav\ta\nwav/long.wav\tb\n";
  EXPECT_THAT(read(lines, {.max_seconds = 2}).report(), HasSubstr("1 over 2 seconds left out"));
  EXPECT_THAT(error_of(lines), HasSubstr("a sample is not finite"));
}

TEST_F(Transcribed, IsKnownByItsSoundsAndTexts) {
  const uint64_t one = read("wav/one.wav\ta\nwav/two.wav\tb\n").fingerprint();
  EXPECT_EQ(read("wav/one.wav\ta\nwav/two.wav\tb\n").fingerprint(), one);
  EXPECT_NE(read("wav/one.wav\ta\nwav/two.wav\ta\n").fingerprint(), one);
  EXPECT_NE(read("wav/two.wav\ta\nwav/one.wav\tb\n").fingerprint(), one);
}

TEST_F(Transcribed, ThatIsWrongIsNamedByItsLine) {
  EXPECT_THAT(error_of("wav/one.wav\ta\nwav/none.wav\tb\n"), HasSubstr("x.tsv:2: "));
  EXPECT_THAT(error_of("wav/one.wav\ta\nwav/none.wav\tb\n"),
              HasSubstr("none.wav: cannot be opened"));
  EXPECT_THAT(error_of("a b\twav/one.wav\n"),
              HasSubstr("; hint: path and label are swapped, 'wav/one.wav' is a file; expected "
                        "`path TAB text`"));
  EXPECT_THAT(error_of("wav/one.wav a\n"), HasSubstr("x.tsv:1: "));
  EXPECT_THAT(error_of("wav/one.wav\t\n"), HasSubstr("x.tsv:1: "));
  EXPECT_THAT(error_of("\ta\n"), HasSubstr("x.tsv:1: "));
  EXPECT_THAT(error_of("wav/one.wav\t\xff\n"), HasSubstr("x.tsv:1: "));
  EXPECT_THAT(error_of("x.tsv\ta\n"), HasSubstr("expected WAV, FLAC, Ogg"));
  EXPECT_THAT(error_of("wav/tiny.wav\ta\n"), HasSubstr("no sound is left"));
  EXPECT_THAT(error_of(""), HasSubstr("no sound is left"));
}

}  // namespace
}  // namespace weft::data
