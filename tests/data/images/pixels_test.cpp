#include "weft/data/images/pixels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "weft/core/error.h"

namespace weft::data {
namespace {

using testing::ElementsAre;

TEST(PixelStatistics, AreThoseOfEachChannel) {
  const std::vector<uint8_t> pixels = {0, 10, 255, 10, 0, 10, 255, 10};
  const ChannelStatistics found = pixel_statistics(pixels, 2);
  EXPECT_DOUBLE_EQ(found.mean[0], 0.5);
  EXPECT_DOUBLE_EQ(found.mean[1], 10.0 / 255);
  EXPECT_DOUBLE_EQ(found.deviation[0], 0.5);
  EXPECT_DOUBLE_EQ(found.deviation[1], 1);  // of a channel that is the same everywhere
}

TEST(Patches, GoFromLeftToRightAndFromTheTopDown) {
  Features pictures;
  pictures.width = 16;
  pictures.values.resize(32);
  std::iota(pictures.values.begin(), pictures.values.end(), 0.0f);
  pictures.segments.append(1);
  pictures.segments.append(1);
  pictures.segments.first = 5;
  // [2, 4] with two channels
  const Features found = patches_of(
      pictures,
      {.shape = {2, 4, 2}, .patch = 2, .statistics = {{0, 1.0 / 255}, {1.0 / 255, 2.0 / 255}}});
  EXPECT_EQ(found.width, 8);
  EXPECT_THAT(found.segments.offsets, ElementsAre(0, 2, 4));
  EXPECT_EQ(found.segments.first, 5);
  EXPECT_THAT(found.grid, ElementsAre(0, 0, 0, 1, 0, 0, 0, 1));
  const std::vector<float> second(found.values.begin() + 8, found.values.begin() + 16);
  EXPECT_THAT(second, ElementsAre(4, 6, 12, 14, 2, 3, 6, 7));
}

TEST(Patches, ReportPicturesOfAnotherSize) {
  Features pictures;
  pictures.width = 15;
  EXPECT_THROW(patches_of(pictures, {.shape = {2, 4, 2}, .patch = 2, .statistics = {}}),
               ShapeError);
}

TEST(PixelsOf, HaveTheChannelsAndTheSizeOfTheModel) {
  const Image grey{1, 1, 1, {7}};
  EXPECT_THAT(pixels_of(grey, {1, 1, 1}), ElementsAre(7));
  EXPECT_THAT(pixels_of(grey, {2, 1, 3}), ElementsAre(7, 7, 7, 7, 7, 7));
}

}  // namespace
}  // namespace weft::data
