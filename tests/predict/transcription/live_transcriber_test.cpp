#include "weft/predict/transcription/live_transcriber.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/predict/predicted.h"
#include "tests/support/options.h"
#include "weft/core/random.h"
#include "weft/data/text/plain_tokeniser.h"
#include "weft/model_file/transcriber.h"

namespace weft::predict {
namespace {

constexpr int64_t kRate = 8000;

// Not trained: its texts are as good as random, and change from window to window.
model_file::TranscriberSession small_model(const std::string& decoder) {
  models::TranscriberOptions options;
  test::set(options, "--enc-depth 1 --dim-emb 16 --subsampling-layers 1 --decoder " + decoder);
  const std::vector<std::string> characters = {"a", "b", "c", " "};
  return model_file::new_transcriber(
      options,
      {.tokeniser = data::make_plain_tokeniser(data::Vocabulary(characters, "characters")),
       .log_mel = {.sample_rate = kRate, .mel_bins = 8},
       .frame_norm = data::PeakNorm{},
       .statistics = {std::vector<double>(8, -2), std::vector<double>(8, 0.5)}},
      5);
}

std::vector<float> noise(int64_t samples) {
  RandomStream random(1, 0);
  std::vector<float> out(static_cast<size_t>(samples));
  for (float& x : out) x = static_cast<float>(random.uniform() - 0.5);
  return out;
}

// Texts and times of the words, where `together` samples are added at a time.
std::vector<std::tuple<std::string, double, double>> live_words(const Transcriber& transcriber,
                                                                const std::vector<float>& samples,
                                                                size_t together, Report& report) {
  LiveTranscriber live(transcriber, 0.25);
  std::vector<std::tuple<std::string, double, double>> out;
  const auto take = [&](const std::vector<TimedWord>& words) {
    for (const TimedWord& word : words) out.emplace_back(word.text, word.begin, word.end);
  };
  for (size_t i = 0; i < samples.size(); i += together) {
    take(live.add(std::span(samples).subspan(i, std::min(together, samples.size() - i))));
  }
  take(live.finish(report));
  EXPECT_DOUBLE_EQ(live.seconds(), static_cast<double>(samples.size()) / kRate);
  return out;
}
std::vector<std::tuple<std::string, double, double>> live_words(const Transcriber& transcriber,
                                                                const std::vector<float>& samples,
                                                                size_t together) {
  Report report("sound");
  return live_words(transcriber, samples, together, report);
}

TEST(LiveTranscriber, DoesNotDependOnHowSamplesComeIn) {
  for (const std::string decoder : {"ctc", "attention --dec-depth 1"}) {
    const auto session = small_model(decoder);
    const Transcriber transcriber(session, {.beam_size = 1, .max_seconds = 1}, true);
    const std::vector<float> samples = noise(4 * kRate + 77);
    const auto expected = live_words(transcriber, samples, samples.size());
    EXPECT_FALSE(expected.empty()) << decoder;
    for (const size_t together : {1000u, 333u}) {
      EXPECT_EQ(live_words(transcriber, samples, together), expected) << decoder;
    }
  }
}

// Also where a window has other words, and more, than the one before.
TEST(LiveTranscriber, GivesNoWordTwice) {
  const auto session = small_model("ctc");
  const Transcriber transcriber(session, {.beam_size = 1, .max_seconds = 1}, true);
  double last = -1;
  for (const auto& [word, begin, end] : live_words(transcriber, noise(4 * kRate), 1000)) {
    EXPECT_GT((begin + end) / 2, last) << word;
    last = (begin + end) / 2;
  }
}

TEST(LiveTranscriber, GivesAShortSoundTheTextOfAFile) {
  const auto session = small_model("ctc");
  const Transcriber transcriber(session, {.beam_size = 1}, true);
  const std::vector<float> samples = noise(kRate / 5);  // less than a step
  const std::vector<float> frames = transcriber.log_mel()(samples);
  std::string text;
  for (const auto& [word, begin, end] : live_words(transcriber, samples, 100)) {
    text += (text.empty() ? "" : " ") + word;
  }
  const std::vector<TimedWord> words =
      test::predicted(transcriber, std::vector<std::vector<float>>{frames}).front().words;
  std::string expected;
  for (const TimedWord& word : words) expected += (expected.empty() ? "" : " ") + word.text;
  EXPECT_EQ(text, expected);
}

TEST(LiveTranscriber, OfNothingIsNothing) {
  for (const std::string decoder : {"ctc", "joint --dec-depth 1"}) {
    const auto session = small_model(decoder);
    const Transcriber transcriber(session, {}, true);
    Report report("sound");
    EXPECT_TRUE(live_words(transcriber, {}, 1, report).empty());
    EXPECT_EQ(report.text(), "1 sound: 1 that gave no text");
    if (decoder != "ctc") continue;
    EXPECT_FALSE(live_words(transcriber, noise(kRate), 1000, report).empty());
    EXPECT_EQ(report.text(), "2 sounds: 1 that gave no text");
  }
}

TEST(LiveTranscriber, CountsScoresThatAreNotFinite) {
  const auto session = small_model("ctc");
  for (float& x : session.parameters.span<float>()) x = NAN;
  const Transcriber transcriber(session, {}, true);
  Report report("sound");
  EXPECT_TRUE(live_words(transcriber, noise(2 * kRate), 1000, report).empty());
  EXPECT_EQ(report.count(FaultKind::kNotFinite), 1);
  EXPECT_EQ(report.text(),
            "1 sound: 1 whose scores are not finite numbers (left empty); the first fault is in "
            "sound 1: the model's scores are not finite numbers");
}

}  // namespace
}  // namespace weft::predict
