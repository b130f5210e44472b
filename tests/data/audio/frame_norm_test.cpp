#include "weft/data/audio/frame_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "weft/data/audio/log_mel.h"

namespace weft::data {
namespace {

constexpr LogMelOptions kFrameNormBanks{.sample_rate = 8000, .mel_bins = 16};

// Two tones of other length with digital silence around them.
std::vector<float> sound(double gain) {
  std::vector<float> out(2000);
  for (const auto& [frequency, samples] : {std::pair{400.0, 1500}, {1300.0, 900}}) {
    for (int i = 0; i < samples; ++i) {
      const double angle = 2 * std::numbers::pi * frequency * i / 8000;
      out.push_back(static_cast<float>(gain * 0.1 * std::sin(angle)));
    }
    out.resize(out.size() + 1000);
  }
  return out;
}
Features frames_of(const std::vector<std::vector<float>>& sounds) {
  const LogMel log_mel(kFrameNormBanks);
  Features out;
  out.width = kFrameNormBanks.mel_bins;
  for (const std::vector<float>& samples : sounds) {
    const std::vector<float> frames = log_mel(samples);
    out.values.insert(out.values.end(), frames.begin(), frames.end());
    out.segments.append(std::ssize(frames) / out.width);
  }
  return out;
}
Features normalised_by(std::string_view name, Features frames) {
  FrameNorms norm;
  norm.select(name);
  const ChannelStatistics statistics{std::vector<double>(16, 1), std::vector<double>(16, 2)};
  return norm.visit([&](const auto& n) { return n.normalise(std::move(frames), statistics); });
}

TEST(FrameNorm, OfASoundDoesNotDependOnLoudness) {
  for (const std::string_view name : {"peak", "utterance"}) {
    const Features normal = normalised_by(name, frames_of({sound(1)}));
    for (const double gain : {0.1, 0.5, 10.0}) {
      const Features other = normalised_by(name, frames_of({sound(gain)}));
      for (size_t i = 0; i < normal.values.size(); ++i) {
        ASSERT_NEAR(other.values[i], normal.values[i], 1e-3) << name << ", " << gain;
      }
    }
  }
}

// Unlike that by an utterance's mean.
TEST(FrameNorm, ByThePeakDoesNotDependOnPauses) {
  std::vector<float> longer = sound(1);
  const Features normal = normalised_by("peak", frames_of({longer}));
  longer.resize(3 * longer.size());
  const Features other = normalised_by("peak", frames_of({longer}));
  EXPECT_TRUE(std::equal(normal.values.begin(), normal.values.end(), other.values.begin()));
}

TEST(FrameNorm, OfAnUtteranceGivesEachBinMeanZeroAndDeviationOne) {
  const Features found = normalised_by("utterance", frames_of({sound(1)}));
  const ChannelStatistics statistics = channel_statistics(found.values, found.width);
  for (size_t c = 0; c < 16; ++c) {
    EXPECT_NEAR(statistics.mean[c], 0, 1e-5);
    EXPECT_NEAR(statistics.deviation[c], 1, 1e-5);
  }
}

TEST(FrameNorm, DoesNotDependOnTheOthersOfABatch) {
  for (const std::string_view name : {"global", "peak", "utterance"}) {
    const Features alone = normalised_by(name, frames_of({sound(1)}));
    const Features both = normalised_by(name, frames_of({std::vector<float>(1000), sound(1)}));
    ASSERT_EQ(both.segments.length(1) * both.width, std::ssize(alone.values));
    EXPECT_TRUE(std::equal(alone.values.begin(), alone.values.end(),
                           both.values.begin() + both.segments.begin(1) * both.width))
        << name;
  }
}

TEST(FrameNorm, OfTrainingIsTheSameForAll) {
  const Features frames = frames_of({sound(1)});
  const Features found = normalised_by("global", frames);
  for (size_t i = 0; i < found.values.size(); ++i) {
    ASSERT_FLOAT_EQ(found.values[i], (frames.values[i] - 1) / 2);
  }
}

}  // namespace
}  // namespace weft::data
