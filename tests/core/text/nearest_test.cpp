#include "weft/core/text/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

TEST(EditDistance, CountsEachKindOfEditOnce) {
  struct Case {
    const char* a;
    const char* b;
    int distance;
  };
  constexpr Case kCases[] = {
      {"", "", 0},         {"abc", "abc", 0},        {"", "abc", 3},     {"abc", "", 3},
      {"beam", "bean", 1}, {"beam", "beams", 1},     {"beam", "bam", 1}, {"beam", "baem", 1},
      {"abcd", "badc", 2}, {"kitten", "sitting", 3}, {"ca", "abc", 3},   {"ab", "ba", 1},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(edit_distance(c.a, c.b), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(edit_distance(c.b, c.a), c.distance) << c.b << " " << c.a;
  }
}

TEST(Nearest, FindsTheIntendedName) {
  const std::vector<std::string> known = {"enc-depth", "dec-depth", "beam-size", "task"};
  EXPECT_EQ(nearest("enc-dpeth", known), "enc-depth");
  EXPECT_EQ(nearest("beamsize", known), "beam-size");
  EXPECT_EQ(nearest("tsak", known), "task");
  EXPECT_EQ(nearest("enc_depth", known), "enc-depth");
}

TEST(Nearest, IsEmptyIfNoNameIsClose) {
  const std::vector<std::string> known = {"enc-depth", "task"};
  EXPECT_EQ(nearest("workspace", known), "");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest(std::string(1000, 'e'), known), "");
  EXPECT_EQ(nearest("task", {}), "");
}

TEST(Nearest, PutsTheNameIntoAHint) {
  const std::vector<std::string> known = {"task"};
  EXPECT_EQ(nearest_hint("tsak", known, "--"), "; hint: did you mean --task?");
  EXPECT_EQ(nearest_hint("workspace", known), "");
}

}  // namespace
}  // namespace weft
