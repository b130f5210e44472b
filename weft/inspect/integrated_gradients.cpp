#include "weft/inspect/integrated_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "weft/core/chunks.h"

namespace weft::inspect {
namespace {

constexpr size_t kFirstIntervals = 4, kMostPoints = 1024;
constexpr double kLeastWidth = 1e-4;     // of an interval in u; what differs there is a jump
constexpr double kOfDifference = 0.005;  // what errors may sum to, of F(x) - F(x0)
constexpr double kOfVariation = 0.0001;  // or of how much F varies along the path
constexpr double kMagnitude = 0.01;      // and what their magnitudes may sum to, of that
constexpr double kRounding = 1e-6;       // of a score in float32
constexpr int64_t kRowsTogether = 4096;  // of copies that run as one batch

// The score and its derivatives at a point of the path, t = u^4.
struct PathPoint {
  double u = 0;
  double score = 0;
  std::vector<double> slopes = {};  // [N] of each row's part of the score, by u
};

class Path {
 public:
  Path(const Tensor& x, const Tensor& baseline, const BatchedScore& score)
      : x_(x.span<float>()), baseline_(baseline.span<float>()), shape_(x.shape()), score_(&score) {}

  // At these u, which are from 0 to 1.
  std::vector<PathPoint> points(std::span<const double> u) const {
    const auto together = std::max<int64_t>(1, kRowsTogether / std::max<int64_t>(1, shape_.rows()));
    std::vector<PathPoint> out;
    for (const std::span<const double> chunk : chunks(u, together)) add(chunk, out);
    return out;
  }

 private:
  void add(std::span<const double> u, std::vector<PathPoint>& points) const {
    autograd::Tape tape;
    const Tensor x = tape.watch(mixtures(u));
    const Tensor y = score_->forward(x, std::ssize(u), {.tape = &tape});
    const Tensor d_y = Tensor::zeros(y.shape(), y.dtype());
    std::vector<double> scores;
    for (int64_t c = 0; c < std::ssize(u); ++c) {
      const int64_t element = score_->element(c);
      d_y.data<float>()[element] = 1;
      scores.push_back(y.data<float>()[element / y.cols() * y.stride() + element % y.cols()]);
    }
    autograd::Gradients gradients;
    tape.backward(y, d_y, gradients);
    const Tensor d_x = gradients.of(x);
    const std::span<const float> values = d_x.span<float>();
    for (size_t c = 0; c < u.size(); ++c) {
      points.push_back({u[c], scores[c], slopes(values.subspan(c * x_.size(), x_.size()), u[c])});
    }
  }

  // x0 + t (x - x0) of each point, [copies * N, D].
  Tensor mixtures(std::span<const double> u) const {
    Tensor out = Tensor::empty({std::ssize(u) * shape_.rows(), shape_.cols()});
    float* to = out.data<float>();
    for (const double point : u) {
      const double t = std::pow(point, 4);
      for (size_t i = 0; i < x_.size(); ++i) {
        *to++ = static_cast<float>((1 - t) * double{baseline_[i]} + t * double{x_[i]});
      }
    }
    return out;
  }

  // Of the gradient [N, D] at a point.
  std::vector<double> slopes(std::span<const float> gradient, double u) const {
    std::vector<double> out(static_cast<size_t>(shape_.rows()), 0.0);
    const auto width = static_cast<size_t>(shape_.cols());
    const double dt_du = 4 * std::pow(u, 3);
    for (size_t i = 0; i < gradient.size(); ++i) {
      out[i / width] += (double{x_[i]} - double{baseline_[i]}) * double{gradient[i]} * dt_du;
    }
    return out;
  }

  std::span<const float> x_, baseline_;
  Shape shape_;
  const BatchedScore* score_;
};

// A part of the path with the contributions of the rows there.
struct Interval {
  std::array<PathPoint, 3> points;  // its ends, and the middle between them

  double width() const { return points[2].u - points[0].u; }
  double difference() const { return points[2].score - points[0].score; }
  double contribution(size_t row) const {
    const auto slope = [&](size_t point) { return points[point].slopes[row]; };
    return width() / 6 * (slope(0) + 4 * slope(1) + slope(2));
  }
  double error() const {
    double sum = 0;
    for (size_t row = 0; row < points[0].slopes.size(); ++row) sum += contribution(row);
    return sum - difference();
  }
};

std::vector<Interval> first_intervals(const Path& path) {
  constexpr size_t kPoints = 2 * kFirstIntervals + 1;
  std::vector<double> u;
  for (size_t i = 0; i < kPoints; ++i) u.push_back(static_cast<double>(i) / (kPoints - 1));
  const std::vector<PathPoint> points = path.points(u);
  std::vector<Interval> out;
  for (size_t i = 0; i + 2 < kPoints; i += 2) {
    out.push_back({{points[i], points[i + 1], points[i + 2]}});
  }
  return out;
}

// What the errors along a path sum to, and what they may sum to.
struct PathErrors {
  std::vector<double> errors;  // of each interval
  double sum = 0, magnitude = 0;
  double variation = 0, tolerance = 0;

  explicit PathErrors(const std::vector<Interval>& path) {
    for (const Interval& interval : path) {
      errors.push_back(interval.error());
      sum += errors.back();
      magnitude += std::abs(errors.back());
      variation += std::abs(interval.difference());
    }
    const double end = path.back().points[2].score, begin = path.front().points[0].score;
    tolerance = std::max({kOfDifference * std::abs(end - begin), kOfVariation * variation,
                          kRounding * (std::abs(end) + std::abs(begin))});
  }
  bool is_complete() const { return std::abs(sum) <= tolerance; }
  bool is_small() const {
    return is_complete() && magnitude <= std::max(kMagnitude * variation, tolerance);
  }
  double mean() const { return magnitude / static_cast<double>(errors.size()); }
};

// Halves the intervals whose errors are not below the mean. False where none helps: the score
// jumps.
bool refine(const Path& path, const PathErrors& found, std::vector<Interval>& intervals) {
  std::vector<Interval> kept, halved;
  for (size_t i = 0; i < intervals.size(); ++i) {
    const double error = std::abs(found.errors[i]);
    if (intervals[i].width() < kLeastWidth && error > found.tolerance) return false;
    (error >= found.mean() ? halved : kept).push_back(intervals[i]);
  }
  std::vector<double> u;
  for (const Interval& interval : halved) {
    const auto& [begin, middle, end] = interval.points;
    u.insert(u.end(), {(begin.u + middle.u) / 2, (middle.u + end.u) / 2});
  }
  const std::vector<PathPoint> points = path.points(u);
  for (size_t i = 0; i < halved.size(); ++i) {
    const auto& [begin, middle, end] = halved[i].points;
    kept.push_back({{begin, points[2 * i], middle}});
    kept.push_back({{middle, points[2 * i + 1], end}});
  }
  std::ranges::sort(kept, {}, [](const Interval& i) { return i.points[0].u; });
  intervals = std::move(kept);
  return !halved.empty();
}

}  // namespace

double Contributions::sum() const { return std::accumulate(rows.begin(), rows.end(), 0.0); }

Contributions integrated_gradients(const Tensor& x, const Tensor& baseline,
                                   const BatchedScore& score) {
  const Path path(x, baseline, score);
  std::vector<Interval> intervals = first_intervals(path);
  PathErrors errors(intervals);
  while (!errors.is_small() && 2 * intervals.size() < kMostPoints &&
         refine(path, errors, intervals)) {
    errors = PathErrors(intervals);
  }
  Contributions out{.rows = std::vector<double>(static_cast<size_t>(x.rows()), 0.0),
                    .score = intervals.back().points[2].score,
                    .baseline_score = intervals.front().points[0].score,
                    .is_complete = errors.is_complete()};
  for (const Interval& interval : intervals) {
    for (size_t row = 0; row < out.rows.size(); ++row) {
      out.rows[row] += interval.contribution(row);
    }
  }
  return out;
}

}  // namespace weft::inspect
