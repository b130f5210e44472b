#include "weft/data/audio/perturbation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::data {
namespace {

constexpr LogMelOptions kPerturbationBanks{.sample_rate = 8000, .mel_bins = 40};

std::vector<float> frames_of_tone(double frequency, double gain = 0.1) {
  std::vector<float> samples(8000);
  for (size_t i = 0; i < samples.size(); ++i) {
    const double angle = 2 * std::numbers::pi * frequency * static_cast<double>(i) / 8000;
    samples[i] = static_cast<float>(gain * std::sin(angle));
  }
  return LogMel(kPerturbationBanks)(samples);
}
int64_t loudest_bin(const std::vector<float>& frames) {
  const auto middle = frames.begin() + std::ssize(frames) / 80 * 40;
  return std::max_element(middle, middle + 40) - middle;
}

TEST(Perturbation, OfSpeedChangesLengthAndFrequencies) {
  const std::vector<float> frames = frames_of_tone(1000);
  for (const double speed : {0.8, 0.9, 1.1, 1.25}) {
    const std::vector<float> found = with_speed(frames, kPerturbationBanks, speed);
    EXPECT_EQ(std::ssize(found) / 40, 1 + std::llround(97 / speed));
    EXPECT_NEAR(loudest_bin(found), loudest_bin(frames_of_tone(1000 * speed)), 1) << speed;
  }
  EXPECT_NE(loudest_bin(frames), loudest_bin(with_speed(frames, kPerturbationBanks, 1.25)));
}

TEST(Perturbation, OfSpeedOneChangesNothing) {
  const std::vector<float> frames = frames_of_tone(700);
  const std::vector<float> found = with_speed(frames, kPerturbationBanks, 1);
  ASSERT_EQ(found.size(), frames.size());
  for (size_t i = 0; i < frames.size(); ++i) ASSERT_NEAR(found[i], frames[i], 1e-4);
  EXPECT_TRUE(with_speed({}, kPerturbationBanks, 1).empty());
}

TEST(Perturbation, OfGainIsThatOfTheSamples) {
  std::vector<float> frames = frames_of_tone(500);
  change_gain(frames, -20);
  const std::vector<float> expected = frames_of_tone(500, 0.01);
  for (size_t i = 0; i < frames.size(); ++i) ASSERT_NEAR(frames[i], expected[i], 1e-2) << i;
  std::vector<float> silence = LogMel(kPerturbationBanks)(std::vector<float>(1000));
  const std::vector<float> before = silence;
  change_gain(silence, 20);
  EXPECT_EQ(silence, before);
}

}  // namespace
}  // namespace weft::data
