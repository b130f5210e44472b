#include "weft/formats/line_chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace weft::formats {
namespace {

// In pixels.
constexpr double kWidth = 760, kLeft = 70, kRight = 20, kBottom = 28, kLabelHeight = 26;
constexpr double kTitleHeight = 30, kLegendHeight = 20, kPlotHeight = 196;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kCharacter = 7;  // of a legend, about
constexpr size_t kColours = 6, kDashes = 3;
constexpr size_t kMaxPoints = 2 * static_cast<size_t>(kPlotWidth);

constexpr std::string_view kStyle =
    "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.title{font-weight:600}"
    ".end{text-anchor:end}.middle{text-anchor:middle}"
    ".card{fill:#fff;stroke:#d0d7de}.grid{stroke:#d8dee4}.axis{stroke:#8c959f;fill:none}"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}.dot{stroke:none}"
    ".c0{stroke:#0969da;fill:#0969da}.c1{stroke:#bc4c00;fill:#bc4c00}"
    ".c2{stroke:#1a7f37;fill:#1a7f37}.c3{stroke:#8250df;fill:#8250df}"
    ".c4{stroke:#bf3989;fill:#bf3989}.c5{stroke:#6e7781;fill:#6e7781}"
    ".line.line{fill:none}.d1{stroke-dasharray:7 3}.d2{stroke-dasharray:2 3}\n"
    "@media (prefers-color-scheme:dark){text{fill:#e6edf3}.card{fill:#0d1117;stroke:#30363d}"
    ".grid{stroke:#30363d}.axis{stroke:#8b949e}"
    ".c0{stroke:#58a6ff;fill:#58a6ff}.c1{stroke:#f0883e;fill:#f0883e}"
    ".c2{stroke:#3fb950;fill:#3fb950}.c3{stroke:#bc8cff;fill:#bc8cff}"
    ".c4{stroke:#f778ba;fill:#f778ba}.c5{stroke:#afb8c1;fill:#afb8c1}}</style>\n";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      // XML has no other control characters.
      default: out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

struct Limits {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Never empty: around a single value, and from 0 to 1 without one.
  Limits widened(double margin) const {
    if (low > high) return {0, 1};
    const double span = high > low ? high - low : low == 0 ? 1 : std::abs(low);
    return {low - margin * span, high + margin * span};
  }
  double part(double value) const { return (value - low) / (high - low); }
};

// The points, or the lowest and the highest of each of equally many neighbours.
std::vector<Point> thinned_points(const std::vector<Point>& points) {
  if (points.size() <= kMaxPoints) return points;
  std::vector<Point> out;
  const size_t group = 2 * points.size() / kMaxPoints + 1;
  for (size_t begin = 0; begin < points.size(); begin += group) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(std::min(group, points.size() - begin));
    auto [low, high] =
        std::minmax_element(first, last, [](const Point& a, const Point& b) { return a.y < b.y; });
    if (high < low) std::swap(low, high);
    out.push_back(*low);
    if (low != high) out.push_back(*high);
  }
  return out;
}

class ChartWriter {
 public:
  ChartWriter(const std::vector<ChartPanel>& panels, std::string_view x_label) {
    for (const ChartPanel& panel : panels) {
      for (const ChartLine& line : panel.lines) {
        for (const Point& p : line.points) x_.add(p.x);
      }
    }
    x_ = {.low = std::min(0.0, x_.low), .high = std::max(x_.low + 1, x_.high)};
    if (!std::isfinite(x_.low + x_.high)) x_ = {.low = 0, .high = 1};
    for (const ChartPanel& panel : panels) add(panel);
    text("middle", kLeft + kPlotWidth / 2, top_ + kLabelHeight - 10, x_label);
  }

  std::string document() const {
    const double height = top_ + kLabelHeight;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" "
               "width=\"{0:g}\" height=\"{1:g}\" role=\"img\">\n",
               kWidth, height) +
           std::string(kStyle) +
           fmt::format(
               "<rect class=\"card\" x=\".5\" y=\".5\" width=\"{:g}\" height=\"{:g}\" "
               "rx=\"8\"/>\n",
               kWidth - 1, height - 1) +
           body_ + "</svg>\n";
  }

 private:
  double x(double value) const { return kLeft + kPlotWidth * x_.part(value); }
  double y(double value) const { return top_ + kPlotHeight * (1 - y_.part(value)); }

  void text(std::string_view style, double left, double baseline, std::string_view content) {
    body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, left,
                         baseline, escaped(content));
  }

  static std::string style_of(const ChartLine& line) {
    return fmt::format("c{} d{}", line.style % kColours, line.style / kColours % kDashes);
  }

  void add(const ChartPanel& panel) {
    Limits values;
    for (const ChartLine& line : panel.lines) {
      for (const Point& p : line.points) values.add(p.y);
    }
    constexpr double kMargin = 0.05;
    y_ = values.widened(kMargin);
    top_ += kTitleHeight;
    text("title", kLeft, top_ - 6, panel.title);
    add_legend(panel);
    add_axes();
    for (const ChartLine& line : panel.lines) add(line);
    top_ += kPlotHeight + kBottom;
  }

  void add_legend(const ChartPanel& panel) {
    double left = kLeft;
    for (const ChartLine& line : panel.lines) {
      const double width = 36 + kCharacter * static_cast<double>(line.name.size());
      if (left > kLeft && left + width > kWidth) {
        left = kLeft;
        top_ += kLegendHeight;
      }
      body_ += fmt::format("<path class=\"line {}\" d=\"M{:.1f} {:.1f}h18\"/>\n", style_of(line),
                           left, top_ + 10);
      text("", left + 23, top_ + 14, line.name);
      left += width;
    }
    top_ += kLegendHeight + 6;
  }

  void add_axes() {
    constexpr int kTicksX = 8, kTicksY = 5;
    const double bottom = top_ + kPlotHeight;
    for (const double tick : round_ticks(y_.low, y_.high, kTicksY)) {
      body_ += fmt::format("<path class=\"grid\" d=\"M{:g} {:.1f}h{:g}\"/>\n", kLeft, y(tick),
                           kPlotWidth);
      text("end", kLeft - 8, y(tick) + 4, tick_text(tick));
    }
    for (const double tick : round_ticks(x_.low, x_.high, kTicksX)) {
      body_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v5\"/>\n", x(tick), bottom);
      text("middle", x(tick), bottom + 19, tick_text(tick));
    }
    body_ += fmt::format("<path class=\"axis\" d=\"M{:g} {:.1f}v{:g}h{:g}\"/>\n", kLeft, top_,
                         kPlotHeight, kPlotWidth);
  }

  void add(const ChartLine& line) {
    std::string path;
    size_t drawn = 0;
    bool is_open = false;
    const std::vector<Point> points = thinned_points(line.points);
    for (const Point& p : points) {
      const bool is_finite = std::isfinite(p.x) && std::isfinite(p.y);
      if (is_finite) {
        path += fmt::format("{}{:.1f} {:.1f}", is_open ? 'L' : 'M', x(p.x), y(p.y));
        ++drawn;
      }
      is_open = is_finite;
    }
    const std::string style = style_of(line);
    if (drawn > 1) body_ += fmt::format("<path class=\"line {}\" d=\"{}\"/>\n", style, path);
    constexpr size_t kFew = 30;
    if (drawn > kFew) return;
    for (const Point& p : points) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
      body_ += fmt::format("<circle class=\"dot {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>\n",
                           style, x(p.x), y(p.y));
    }
  }

  std::string body_;
  Limits x_, y_;    // y_: of the current panel
  double top_ = 0;  // of what comes next
};

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  if (!(low < high)) return {};
  const double raw = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= raw) step = factor * power;
  }
  std::vector<double> ticks;
  for (double i = std::ceil(low / step); i * step <= high; ++i) {
    ticks.push_back(i * step + 0.0);  // not -0
  }
  return ticks;
}

std::string tick_text(double value) {
  constexpr double kWritten = 1e4;  // below, without a suffix
  struct Suffix {
    double factor;
    const char* text;
  };
  constexpr std::array<Suffix, 4> kSuffixes{{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  if (std::abs(value) >= kWritten) {
    for (const auto& [factor, suffix] : kSuffixes) {
      if (std::abs(value) >= factor) return fmt::format("{:.4g}{}", value / factor, suffix);
    }
  }
  return fmt::format("{:.4g}", value);
}

std::string line_chart(const std::vector<ChartPanel>& panels, std::string_view x_label) {
  return ChartWriter(panels, x_label).document();
}

}  // namespace weft::formats
