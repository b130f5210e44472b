#include "weft/data/images/draw.h"

#include <gtest/gtest.h>

#include <string>

#include "weft/core/error.h"
#include "weft/data/images/png.h"

namespace weft::data {
namespace {

// A picture of 6 by 4 with a box: # where it is drawn.
std::string drawn(const Box& box, int64_t line) {
  Image image{4, 6, 3, std::vector<uint8_t>(72)};
  draw_box(image, box, {1, 2, 3}, line);
  std::string out;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    const bool is_drawn = image.pixels[i] == 1 && image.pixels[i + 2] == 3;
    out += is_drawn ? '#' : '.';
    if (i % 18 == 15) out += '\n';
  }
  return out;
}

TEST(Draw, DrawsTheOutlineOfABox) {
  EXPECT_EQ(drawn({1, 0, 4, 4}, 1), ".####.\n.#..#.\n.#..#.\n.####.\n");
  EXPECT_EQ(drawn({0.6, 0.2, 3.9, 2.9}, 1), ".####.\n.#..#.\n.####.\n......\n");
  EXPECT_EQ(drawn({0, 0, 6, 4}, 2), "######\n######\n######\n######\n");
}

TEST(Draw, RefusesAPictureWithoutAllItsPixels) {
  Image image{.height = 4, .width = 6, .channels = 3, .pixels = std::vector<uint8_t>(71)};
  EXPECT_THROW(draw_box(image, {1, 0, 4, 4}, {1, 2, 3}), ShapeError);
  EXPECT_THROW(encode_png(image), ShapeError);
  image.pixels.resize(72);
  EXPECT_NO_THROW(draw_box(image, {1, 0, 4, 4}, {1, 2, 3}));
  EXPECT_NO_THROW(encode_png(image));
}

TEST(Draw, LeavesOutWhatIsOutside) {
  EXPECT_EQ(drawn({-5, 1, 8, 99}, 1), "......\n###...\n#.#...\n###...\n");
  EXPECT_EQ(drawn({20, 20, 5, 5}, 1), "......\n......\n......\n......\n");
  Image grey{1, 1, 1, {0}};
  EXPECT_THROW(draw_box(grey, {}, {}), ShapeError);
}

TEST(Draw, HasColoursForEveryNumber) {
  EXPECT_NE(colour_of(0), colour_of(1));
  EXPECT_EQ(colour_of(3), colour_of(13));
}

}  // namespace
}  // namespace weft::data
