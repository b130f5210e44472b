#include "weft/tasks/picture_patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/captured_log.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::tasks {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

data::ImageShape picture(int64_t height, int64_t width) {
  return {.height = height, .width = width, .channels = 3};
}

TEST(PicturePatches, FollowFromTheSizeOfPictures) {
  const struct {
    int64_t height, width;
    bool has_stem;
    int64_t enough, patch;
  } cases[] = {
      {8, 8, false, kPatchesOfLabels, 4},      {28, 28, false, kPatchesOfLabels, 4},
      {32, 32, false, kPatchesOfLabels, 4},    {64, 64, false, kPatchesOfLabels, 8},
      {60, 60, false, kPatchesOfLabels, 5},    {60, 60, true, kPatchesOfLabels, 4},
      {224, 224, false, kPatchesOfLabels, 16}, {224, 224, true, kPatchesOfLabels, 16},
      {96, 96, true, kPatchesOfObjects, 8},    {240, 320, true, kPatchesOfObjects, 16},
      {480, 640, true, kPatchesOfObjects, 32}, {3000, 4000, false, kPatchesOfLabels, 25},
      {3000, 4000, true, kPatchesOfLabels, 8},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(patch_size_for(picture(c.height, c.width), c.has_stem, c.enough), c.patch)
        << c.height << " " << c.width << " " << c.has_stem;
  }
  EXPECT_EQ(
      test::message_of<OptionError>(
          [] { patch_size_for(picture(97, 131), true, kPatchesOfLabels); }),
      "--image-size: pictures of 97 by 131 have no patches of 4 to 32 pixels, a power of two; "
      "expected sides that one of these divides; hint: --image-size 96 128 resizes them");
}

TEST(PicturePatches, OfManyAreWarnedOfWithTheRemedy) {
  const struct {
    int64_t patch, height, width;
    const char* hint;
  } cases[] = {
      {4, 224, 224,
       "have 3136 patches of 4 x 4, and attention takes time with the square of their "
       "number; hint: --patch-size 16 makes 196 of them\n"},
      {0, 3000, 4000, "have 19200 patches of 25 x 25"},
      {0, 3000, 4000, "; hint: --image-size 192 256 with --patch-size 16\n"},
  };
  for (const auto& c : cases) {
    const test::CapturedLog log;
    int64_t patch = c.patch;
    fit_patches(patch, picture(c.height, c.width), false, kPatchesOfLabels);
    EXPECT_THAT(log.warnings(), HasSubstr(c.hint));
  }
  const test::CapturedLog log;
  int64_t patch = 2;
  fit_patches(patch, picture(62, 62), false, kPatchesOfLabels);
  EXPECT_EQ(patch, 2);
  EXPECT_THAT(log.text(), IsEmpty());
}

TEST(PicturePatches, RaiseTheSizeOfTablesThatAreTooSmall) {
  const int64_t usual = nn::PositionOptions().max_positions;
  models::EncoderOptions encoder;
  fit_positions(encoder.position, encoder, 2000);
  EXPECT_EQ(encoder.position.max_positions, usual);
  encoder.position.kind = nn::LearnedPositionOptions{};
  fit_positions(encoder.position, encoder, 100);
  EXPECT_EQ(encoder.position.max_positions, usual);
  fit_positions(encoder.position, encoder, 2000);
  EXPECT_EQ(encoder.position.max_positions, 2000);
  encoder.position.max_positions = 300;  // given
  fit_positions(encoder.position, encoder, 2000);
  EXPECT_EQ(encoder.position.max_positions, 300);
}

}  // namespace
}  // namespace weft::tasks
