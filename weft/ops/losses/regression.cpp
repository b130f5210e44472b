#include "weft/ops/losses/regression.h"

#include <algorithm>

#include "weft/core/error.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/convert.h"
#include "weft/ops/scale.h"
#include "weft/ops/sum.h"

namespace weft::ops {
namespace {

Tensor difference(const Tensor& x, const Tensor& target, Tape* tape) {
  if (x.shape() != target.shape()) {
    fail<ShapeError>("regression", "expected targets {}, got {}", x.shape().text(),
                     target.shape().text());
  }
  const DType type = sum_type(x.dtype());
  return add(convert(x, type, tape), scale(target.to(type), -1, nullptr), tape);
}

Loss mean_of_columns(const Tensor& errors, double weight, Tape* tape) {
  const double share = 1 / static_cast<double>(std::max<int64_t>(errors.cols(), 1));
  const Tensor total = sum(errors, tape);  // [1, 1]
  const double value = total.item() * share;
  return {.value = scale(total, weight * share, tape), .total = value};
}

}  // namespace

Loss squared_error(const Tensor& x, const Tensor& target, double weight, Tape* tape) {
  const Tensor d = difference(x, target, tape);
  return mean_of_columns(multiply(d, d, tape), weight, tape);
}

Loss absolute_error(const Tensor& x, const Tensor& target, double weight, Tape* tape) {
  const Tensor d = difference(x, target, tape);
  const Tensor above = activate(Activation::kRelu, d, tape);
  const Tensor below = activate(Activation::kRelu, scale(d, -1, tape), tape);
  return mean_of_columns(add(above, below, tape), weight, tape);
}

// d^2 / 2 less (|d| - delta)^2 / 2 where that is positive.
Loss huber_error(const Tensor& x, const Tensor& target, double delta, double weight, Tape* tape) {
  const Tensor d = difference(x, target, tape);
  const Tensor limit = Tensor::full(d.shape(), -delta, d.dtype());
  const auto beyond = [&](double sign) {
    const Tensor excess = activate(Activation::kRelu, add(scale(d, sign, tape), limit, tape), tape);
    return scale(multiply(excess, excess, tape), -1, tape);
  };
  const Tensor errors =
      add(multiply(d, d, tape), add(beyond(1), beyond(-1), tape), tape);  // [N, C]
  return mean_of_columns(scale(errors, 0.5, tape), weight, tape);
}

}  // namespace weft::ops
