#include "weft/inspect/integrated_gradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "weft/core/chunks.h"

namespace weft::inspect {
namespace {

constexpr int64_t kFirstSteps = 16, kMostSteps = 1024;
constexpr double kTolerance = 0.005;     // of the difference of the scores
constexpr int64_t kRowsTogether = 4096;  // of copies that run as one batch

// Gradients along the path from the baseline to the input, each point once.
class Path {
 public:
  Path(const Tensor& x, const Tensor& baseline, const CopiesScore& score)
      : x_(x.span<float>()),
        baseline_(baseline.span<float>()),
        shape_(x.shape()),
        score_(&score),
        sums_(x_.size(), 0.0) {}

  // Adds `weight` times the gradient at each of these points, from 0 to 1.
  void add(std::span<const double> points, double weight) {
    const auto together = std::max<int64_t>(1, kRowsTogether / std::max<int64_t>(1, shape_.rows()));
    for_each_chunk(points, together,
                   [&](std::span<const double> chunk, size_t) { add_chunk(chunk, weight); });
  }

  double first_score() const { return first_score_; }  // at point 0
  double last_score() const { return last_score_; }    // at point 1

  // The contributions, if the weights of the points sum to `weight_sum`.
  std::vector<double> contributions(double weight_sum) const {
    std::vector<double> out(static_cast<size_t>(shape_.rows()), 0.0);
    const auto width = static_cast<size_t>(shape_.cols());
    for (size_t i = 0; i < sums_.size(); ++i) {
      out[i / width] += (double{x_[i]} - double{baseline_[i]}) * sums_[i] / weight_sum;
    }
    return out;
  }

 private:
  void add_chunk(std::span<const double> points, double weight) {
    const auto copies = std::ssize(points);
    autograd::Tape tape;
    const Tensor x = tape.watch(mixtures(points));
    const Tensor y = score_->forward(x, copies, {.tape = &tape});
    const Tensor d_y = Tensor::zeros(y.shape(), y.dtype());
    for (int64_t c = 0; c < copies; ++c) {
      const int64_t element = score_->element(c);
      d_y.data<float>()[element] = 1;
      const double value = y.data<float>()[element / y.cols() * y.stride() + element % y.cols()];
      if (points[static_cast<size_t>(c)] == 0) first_score_ = value;
      if (points[static_cast<size_t>(c)] == 1) last_score_ = value;
    }
    autograd::Gradients gradients;
    tape.backward(y, d_y, gradients);
    const Tensor d_x = gradients.of(x);
    const size_t size = sums_.size();
    const std::span<const float> values = d_x.span<float>();
    for (size_t i = 0; i < values.size(); ++i) sums_[i % size] += weight * double{values[i]};
  }

  // x0 + t (x - x0) of each point t, [copies * N, D].
  Tensor mixtures(std::span<const double> points) const {
    Tensor out = Tensor::empty({std::ssize(points) * shape_.rows(), shape_.cols()});
    float* to = out.data<float>();
    for (const double t : points) {
      for (size_t i = 0; i < x_.size(); ++i) {
        *to++ = static_cast<float>((1 - t) * double{baseline_[i]} + t * double{x_[i]});
      }
    }
    return out;
  }

  std::span<const float> x_, baseline_;
  Shape shape_;
  const CopiesScore* score_;
  std::vector<double> sums_;
  double first_score_ = 0, last_score_ = 0;
};

}  // namespace

double Contributions::sum() const { return std::accumulate(rows.begin(), rows.end(), 0.0); }

Contributions integrated_gradients(const Tensor& x, const Tensor& baseline,
                                   const CopiesScore& score) {
  Path path(x, baseline, score);
  path.add(std::vector<double>{0, 1}, 0.5);
  int64_t steps = 1;  // between neighbouring points
  Contributions out;
  while (steps < kMostSteps) {
    // The points between those that there are.
    const int64_t next = steps == 1 ? kFirstSteps : 2 * steps;
    std::vector<double> points;
    for (int64_t i = 1; i < next; ++i) {
      if (steps == 1 || i % 2 == 1) {
        points.push_back(static_cast<double>(i) / static_cast<double>(next));
      }
    }
    path.add(points, 1);
    steps = next;
    out = {path.contributions(static_cast<double>(steps)), path.last_score(), path.first_score()};
    const double difference = out.score - out.baseline_score;
    if (std::abs(out.sum() - difference) <= kTolerance * std::abs(difference)) break;
  }
  return out;
}

}  // namespace weft::inspect
