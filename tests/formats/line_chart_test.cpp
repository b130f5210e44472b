#include "weft/formats/line_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/xml.h"

namespace weft::formats {
namespace {

using test::count;
using test::expect_well_formed;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ChartLine line(std::string name, std::vector<Point> points) {
  return {.name = std::move(name), .points = std::move(points), .style = 0};
}

TEST(RoundTicks, AreMultiplesOfOneTwoOrFive) {
  EXPECT_THAT(round_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(round_ticks(0.9, 3.4, 5), ElementsAre(1, 1.5, 2, 2.5, 3));
  EXPECT_THAT(round_ticks(-1, 1, 2), ElementsAre(-1, 0, 1));
  EXPECT_THAT(round_ticks(120, 980, 4), ElementsAre(500));
  EXPECT_THAT(round_ticks(1, 1, 4), IsEmpty());
  EXPECT_THAT(round_ticks(kNan, 1, 4), IsEmpty());
  EXPECT_FALSE(std::signbit(round_ticks(-0.1, 1, 4).front()));
}

TEST(RoundTicks, HaveShortTexts) {
  EXPECT_EQ(tick_text(0.0005), "0.0005");
  EXPECT_EQ(tick_text(2500), "2500");
  EXPECT_EQ(tick_text(20000), "20k");
  EXPECT_EQ(tick_text(1.5e9), "1.5G");
  EXPECT_EQ(tick_text(-3e6), "-3M");
}

TEST(LineChart, DrawsEveryLineWithALegend) {
  const std::string svg =
      line_chart({{"loss", {line("a", {{10, 3}, {20, 2}}), line("b", {{10, 4}})}},
                  {"bleu", {line("a", {{20, 30}, {40, 35}})}}},
                 "updates");
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, ">loss</text>"), 1);
  EXPECT_EQ(count(svg, ">a</text>"), 2);
  EXPECT_EQ(count(svg, ">updates</text>"), 1);
  EXPECT_EQ(count(svg, "class=\"line "), 5);  // of three legends and two lines; b is a point
  EXPECT_EQ(count(svg, "<circle "), 5);
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
}

TEST(LineChart, EscapesText) {
  const std::string svg = line_chart({{"<b>&\"\x01", {line("</svg>", {{1, 1}})}}}, "]]>");
  expect_well_formed(svg);
  EXPECT_THAT(svg, HasSubstr(">&lt;b&gt;&amp;&quot; </text>"));
  EXPECT_EQ(count(svg, "</svg>"), 1);
}

TEST(LineChart, HasGapsWhereValuesAreNotFinite) {
  const std::string svg = line_chart(
      {{"loss", {line("a", {{1, 1}, {2, 2}, {3, kNan}, {4, INFINITY}, {5, 1}, {6, 2}})}}}, "x");
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "<circle "), 4);
  const std::string drawn = svg.substr(svg.rfind("<path class=\"line"));
  EXPECT_EQ(count(drawn.substr(0, drawn.find("/>")), "M"), 2);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(LineChart, DrawsOneValueOrNone) {
  for (const std::vector<Point>& points :
       {std::vector<Point>{}, {{0, 0}}, {{5, kNan}}, {{7, 2}, {8, 2}}, {{1, 1e300}, {2, -1e300}}}) {
    const std::string svg = line_chart({{"loss", {line("a", points)}}}, "x");
    expect_well_formed(svg);
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
  }
}

TEST(LineChart, KeepsExtremesOfManyPoints) {
  std::vector<Point> points;
  for (int i = 0; i < 100000; ++i) points.push_back({double(i), i == 54321 ? 100.0 : i % 3});
  const std::string svg = line_chart({{"loss", {line("a", points)}}}, "x");
  EXPECT_LT(svg.size(), 60000u);
  EXPECT_THAT(svg, HasSubstr(">100</text>"));
  // The highest point is 5 % of the plot below its top.
  const auto alone = line_chart({{"loss", {line("a", {{0, 0}, {54321, 100}, {99999, 0}})}}}, "x");
  const size_t begin = alone.find("cx=", alone.find("cx=") + 1);
  const size_t y = alone.find("cy=\"", begin) + 4;
  EXPECT_THAT(svg, HasSubstr(" " + alone.substr(y, alone.find('"', y) - y) + "L"));
}

}  // namespace
}  // namespace weft::formats
