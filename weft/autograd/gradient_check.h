// Finite differences: the oracle of every backward.
#ifndef WEFT_AUTOGRAD_GRADIENT_CHECK_H_
#define WEFT_AUTOGRAD_GRADIENT_CHECK_H_

#include <functional>
#include <string>
#include <vector>

#include "weft/autograd/tape.h"

namespace weft::autograd {

using CheckedFunction = std::function<Tensor(const std::vector<Tensor>& inputs, Tape* tape)>;

struct GradientCheck {
  bool ok = true;
  double worst = 0;     // largest |difference| / max(1, |numeric|)
  std::string message;  // where the worst stands
};

// Compares the gradients of sum(w * f(inputs)), w fixed random weights, with central differences
// (f(x + step) - f(x - step)) / (2 step) in every element of every input. Inputs are F64.
GradientCheck check_gradients(const CheckedFunction& f, std::vector<Tensor> inputs,
                              double tolerance = 1e-6, double step = 1e-5);

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_GRADIENT_CHECK_H_
