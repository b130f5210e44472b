#include "weft/ops/rows/unit_rows.h"

#include <cmath>

#include "weft/ops/rms_norm.h"

namespace weft::ops {
namespace {

constexpr double kSmallSquare = 1e-24;

}  // namespace

// x / sqrt(sum(x^2)) is x / sqrt(mean(x^2)) / sqrt(D).
Tensor unit_rows(const Tensor& x, Tape* tape) {
  const auto D = static_cast<double>(x.cols());
  const Tensor gamma = Tensor::full({1, x.cols()}, 1 / std::sqrt(D), x.dtype());
  return rms_norm(x, {gamma, kSmallSquare / D}, tape);
}

}  // namespace weft::ops
