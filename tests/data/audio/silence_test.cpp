#include "weft/data/audio/silence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two bins, loud but for these frames.
std::vector<float> frames(int64_t count, const std::vector<std::pair<int64_t, int64_t>>& quiet) {
  std::vector<float> out(static_cast<size_t>(2 * count), 5);
  for (const auto& [begin, end] : quiet) std::fill(&out[2 * begin], &out[2 * end], 1.0f);
  return out;
}

TEST(CutsAtSilence, LeavesAShortSoundWhole) {
  EXPECT_THAT(cuts_at_silence(frames(40, {{30, 34}}), 2, 40), IsEmpty());
  EXPECT_THAT(cuts_at_silence({}, 2, 40), IsEmpty());
}

TEST(CutsAtSilence, CutsInTheMiddleOfTheLongestQuietStretch) {
  EXPECT_THAT(cuts_at_silence(frames(60, {{5, 15}, {30, 36}}), 2, 40), ElementsAre(33));
}

TEST(CutsAtSilence, GoesOnBehindEachCut) {
  EXPECT_THAT(cuts_at_silence(frames(100, {{30, 34}, {60, 64}}), 2, 40), ElementsAre(32, 62));
}

TEST(CutsAtSilence, CutsALoudSoundSomewhere) {
  const std::vector<int64_t> cuts = cuts_at_silence(frames(100, {}), 2, 10);
  int64_t before = 0;
  for (const int64_t cut : cuts) {
    EXPECT_GT(cut, before);
    EXPECT_LE(cut - before, 10);
    before = cut;
  }
  EXPECT_LE(100 - before, 10);
  EXPECT_EQ(cuts_at_silence(frames(3, {}), 2, 1).size(), 2u);
}

}  // namespace
}  // namespace weft::data
