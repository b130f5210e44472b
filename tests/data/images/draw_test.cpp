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

// A picture of 9 by 13: # for a letter, o for its ground.
std::string labelled(const Box& box, std::string_view text) {
  Image image{9, 13, 3, std::vector<uint8_t>(9 * 13 * 3, 7)};
  draw_label(image, box, text, {200, 200, 200});
  std::string out;
  for (size_t i = 0; i < image.pixels.size(); i += 3) {
    out += image.pixels[i] == 0 ? '#' : image.pixels[i] == 200 ? 'o' : '.';
    if (i % 39 == 36) out += '\n';
  }
  return out;
}

TEST(Draw, WritesTextBesideABox) {
  const std::string inside =
      ".............\n.ooooooo.....\n.oo###oo.....\n.o#ooo#o.....\n.o#ooo#o.....\n"
      ".o#ooo#o.....\n.o#ooo#o.....\n.o#ooo#o.....\n.oo###oo.....\n";
  EXPECT_EQ(labelled({1, 1, 4, 4}, "O"), inside);
  // Above the box there is room; at the right edge the text moves to the left.
  EXPECT_EQ(labelled({1, 9, 4, 4}, "O").substr(0, 28), ".ooooooo.....\n.oo###oo.....\n");
  EXPECT_EQ(labelled({12, 0, 1, 1}, "H").substr(0, 28), "......ooooooo\n......o#ooo#o\n");
  EXPECT_EQ(labelled({0, 0, 1, 1}, "\u00e9").substr(14, 14), "o#####o......\n");  // a frame
  EXPECT_EQ(labelled({0, 0, 1, 1}, "long").substr(0, 14), "ooooooooooooo\n");
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
