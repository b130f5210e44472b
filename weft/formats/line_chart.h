// Line charts as SVG, for light and dark pages.
#ifndef WEFT_FORMATS_LINE_CHART_H_
#define WEFT_FORMATS_LINE_CHART_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::formats {

struct Point {
  double x = 0, y = 0;
};

// A line in order of x. Where y is not finite it has a gap.
struct ChartLine {
  std::string name;
  std::vector<Point> points;
  size_t style = 0;  // numbers a colour and a kind of dashes
};

// One pair of axes.
struct ChartPanel {
  std::string title;
  std::vector<ChartLine> lines;
};

// The panels one below the other, each with a legend, and `x_label` below the last.
std::string line_chart(const std::vector<ChartPanel>& panels, std::string_view x_label);

// Up to `count` + 1 multiples of 1, 2 or 5 times a power of ten in [low, high]; at least one if
// low < high.
std::vector<double> round_ticks(double low, double high, int count);

// "0.0005", "2.5", "20k", "1.5G"
std::string tick_text(double value);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_LINE_CHART_H_
