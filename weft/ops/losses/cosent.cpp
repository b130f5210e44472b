#include "weft/ops/losses/cosent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/core/error.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

namespace {

// The loss of one batch, and its gradient [B].
struct Ranking {
  double loss = 0;
  std::vector<double> gradient;
};

// Calls body(i, j) for the pairs of rows of which i should have the higher score.
template <class Body>
void for_each_ordered_pair(std::span<const float> targets, Body body) {
  for (size_t i = 0; i < targets.size(); ++i) {
    for (size_t j = 0; j < targets.size(); ++j) {
      if (targets[i] > targets[j]) body(i, j);
    }
  }
}

// log(1 + sum exp(x)), from x - max(x, 0).
Ranking ranking_of(std::span<const double> scores, std::span<const float> targets, double scale) {
  Ranking out{.gradient = std::vector<double>(scores.size())};
  double most = 0;
  const auto difference = [&](size_t i, size_t j) { return scale * (scores[j] - scores[i]); };
  for_each_ordered_pair(targets, [&](size_t i, size_t j) {
    if (!(difference(i, j) <= most)) most = difference(i, j);  // NaN too
  });
  double sum = std::exp(-most);
  for_each_ordered_pair(targets,
                        [&](size_t i, size_t j) { sum += std::exp(difference(i, j) - most); });
  for_each_ordered_pair(targets, [&](size_t i, size_t j) {
    const double share = scale * std::exp(difference(i, j) - most) / sum;
    out.gradient[j] += share;
    out.gradient[i] -= share;
  });
  out.loss = most + std::log(sum);
  return out;
}

}  // namespace

Loss cosent(const Tensor& scores, std::span<const float> targets, const CoSentParams& params,
            Tape* tape) {
  if (scores.cols() != 1 || scores.rows() != std::ssize(targets)) {
    fail<ShapeError>("cosent", "expected scores [{}, 1], got {}", targets.size(),
                     scores.shape().text());
  }
  const Tensor wide = scores.to(DType::kF64);
  Ranking found = ranking_of(wide.span<double>(), targets, params.scale);
  const auto rows = static_cast<double>(targets.size());
  Loss out;
  out.total = rows * found.loss;
  out.value = Tensor::full({1, 1}, params.weight * out.total, sum_type(scores.dtype()));
  record(tape, out.value, {&scores},
         [type = scores.dtype(), shape = scores.shape(), share = params.weight * rows,
          gradient = std::move(found.gradient)](Backward& b) {
           std::vector<double> scaled = gradient;
           for (double& d : scaled) d *= share * b.d_output().item();
           b.add(0, Tensor::from(scaled, shape).to(type));
         });
  return out;
}

}  // namespace weft::ops
