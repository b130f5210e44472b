// Values and gradients of a function of tensors, for comparing two implementations.
#ifndef WEFT_TESTS_SUPPORT_GRADIENTS_H_
#define WEFT_TESTS_SUPPORT_GRADIENTS_H_

#include <vector>

#include "weft/autograd/gradient_check.h"

namespace weft::test {

struct Evaluated {
  Tensor y;
  std::vector<Tensor> gradients;  // of sum(w * y), one per input
  size_t nodes = 0;               // recorded by f
};

// Evaluates f at `inputs`, and the gradients of sum(w * y) with fixed random weights w, or of y
// itself if it has one element.
Evaluated evaluate(const autograd::CheckedFunction& f, const std::vector<Tensor>& inputs);

// The largest distance() over values and gradients.
double distance(const Evaluated& got, const Evaluated& expected);

// Random inputs of these shapes, with one random stream each.
std::vector<Tensor> random_inputs(const std::vector<Shape>& shapes, DType dtype = DType::kF64);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_GRADIENTS_H_
