#include "weft/data/images/image.h"

#include <gmock/gmock.h>

#include "tests/data/files.h"
#include "tests/data/images/images_golden.h"
#include "weft/core/error.h"

namespace weft::data {
namespace {

using ::testing::HasSubstr;

Image decoded_by_pillow(const std::string& file) {
  return golden_image(images_golden()["decoded"][file]);
}

TEST(ImageTest, ResizesLikePillow) {
  ASSERT_EQ(images_golden()["resized"].size(), 15);
  for (const auto& c : images_golden()["resized"]) {
    const Image expected = golden_image(c);
    SCOPED_TRACE(c["file"].get<std::string>() + " to " + std::to_string(expected.height) + " x " +
                 std::to_string(expected.width));
    // Exact here; versions of Pillow differ by 1 level where one side grows and the other shrinks.
    expect_image(resize(decoded_by_pillow(c["file"]), expected.height, expected.width), expected,
                 0);
  }
}

TEST(ImageTest, ResizingKeepsAnEvenPictureEven) {
  const Image even{
      .height = 37, .width = 211, .channels = 1, .pixels = std::vector<uint8_t>(37 * 211, 201)};
  for (const auto& [height, width] : {std::pair{1, 1}, {500, 3}, {36, 212}, {37, 211}}) {
    const Image out = resize(even, height, width);
    EXPECT_EQ(out.pixels, std::vector<uint8_t>(height * width, 201)) << height << " x " << width;
  }
}

TEST(ImageTest, NothingInBetweenIsLargerThanInputAndOutput) {
  const int64_t size = int64_t{1} << 20;  // its square is more than there is memory
  const Image tall{
      .height = size, .width = 1, .channels = 1, .pixels = std::vector<uint8_t>(size, 9)};
  const Image wide = resize(tall, 1, size);
  EXPECT_EQ(wide.pixels, tall.pixels);
  EXPECT_EQ(resize(wide, size, 1).pixels, tall.pixels);
}

TEST(ImageTest, GreyIsTheLumaOfPillow) {
  for (const auto& c : images_golden()["grey"]) {
    expect_image(with_channels(decoded_by_pillow(c["file"]), 1), golden_image(c), 0);
  }
}

TEST(ImageTest, ColoursRepeatGrey) {
  const Image grey{.height = 1, .width = 2, .channels = 1, .pixels = {3, 250}};
  const Image rgb = with_channels(grey, 3);
  EXPECT_EQ(rgb.channels, 3);
  EXPECT_EQ(rgb.pixels, (std::vector<uint8_t>{3, 3, 3, 250, 250, 250}));
  EXPECT_EQ(with_channels(rgb, 1).pixels, grey.pixels);
  EXPECT_EQ(with_channels(rgb, 3).pixels, rgb.pixels);
}

TEST(ImageTest, RefusesWhatIsNoPicture) {
  const Image grey{.height = 1, .width = 2, .channels = 1, .pixels = {3, 250}};
  const auto resized = [&](int64_t height, int64_t width) {
    return message_of<ShapeError>([&] { resize(grey, height, width); });
  };
  for (const auto& [height, width] :
       {std::pair<int64_t, int64_t>{0, 1}, {1, 0}, {-1, 5}, {kMaxPixels, 2}, {2, INT64_MAX}}) {
    EXPECT_THAT(resized(height, width), HasSubstr("expected 1 to 67108864 pixels, got "));
  }
  EXPECT_THAT(message_of<ShapeError>([&] { with_channels(grey, 2); }),
              HasSubstr("expected 1 or 3 channels, got 2"));
  for (const Image& wrong : {Image{}, Image{.height = 1, .width = 2, .channels = 1, .pixels = {3}},
                             Image{.height = 1, .width = 1, .channels = 2, .pixels = {3, 4}},
                             Image{.height = -1, .width = -2, .channels = 1, .pixels = {3, 250}}}) {
    for (const auto& message : {message_of<ShapeError>([&] { resize(wrong, 1, 1); }),
                                message_of<ShapeError>([&] { with_channels(wrong, 1); })}) {
      EXPECT_THAT(message, HasSubstr("expected a picture of 1 or 3 channels"));
    }
  }
}

}  // namespace
}  // namespace weft::data
