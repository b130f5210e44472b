#include "weft/autograd/gradient_check.h"

#include <fmt/core.h>

#include <cmath>

#include "weft/core/random.h"

namespace weft::autograd {
namespace {

Tensor random_weights(const Shape& shape) {
  RandomStream random(7, 7);
  Tensor w = Tensor::empty(shape, DType::kF64);
  for (double& x : w.span<double>()) x = random.uniform() * 2 - 1;
  return w;
}

double weighted_sum(const Tensor& y, const Tensor& w) {
  double sum = 0;
  for (int64_t n = 0; n < y.rows(); ++n) {
    for (int64_t d = 0; d < y.cols(); ++d) {
      sum += y.data<double>()[n * y.stride() + d] * w.data<double>()[n * w.stride() + d];
    }
  }
  return sum;
}

}  // namespace

GradientCheck check_gradients(const CheckedFunction& f, std::vector<Tensor> inputs,
                              double tolerance, double step) {
  Tape tape;
  Gradients gradients;
  std::vector<Tensor> watched;
  for (Tensor& x : inputs) {
    x = x.clone();
    watched.push_back(tape.watch(x));
  }
  const Tensor y = f(watched, &tape);
  const Tensor w = random_weights(y.shape());
  Tensor loss = Tensor::full({1, 1}, weighted_sum(y, w), DType::kF64);
  tape.record({&loss}, {&y}, [w](Backward& b) { b.add(0, w.clone()); });
  tape.backward(loss, gradients);

  GradientCheck result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor analytic = gradients.of(watched[i]).clone();
    for (int64_t e = 0; e < inputs[i].size(); ++e) {
      double& x = inputs[i].data<double>()[e];
      const double kept = x;
      x = kept + step;
      const double above = weighted_sum(f(inputs, nullptr), w);
      x = kept - step;
      const double below = weighted_sum(f(inputs, nullptr), w);
      x = kept;
      const double numeric = (above - below) / (2 * step);
      const double found = analytic.data<double>()[e];
      const double error = std::abs(found - numeric) / std::max(1.0, std::abs(numeric));
      if (error > result.worst || !std::isfinite(error)) {
        result.worst = error;
        result.message = fmt::format("input {} element {}: backward {:.9g}, differences {:.9g}", i,
                                     e, found, numeric);
      }
      if (!(error <= tolerance)) result.ok = false;
    }
  }
  return result;
}

}  // namespace weft::autograd
