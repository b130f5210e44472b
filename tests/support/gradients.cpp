#include "tests/support/gradients.h"

#include <algorithm>
#include <numeric>

#include "tests/support/tensors.h"

namespace weft::test {

Evaluated evaluate(const autograd::CheckedFunction& f, const std::vector<Tensor>& inputs) {
  autograd::Tape tape;
  std::vector<Tensor> watched;
  for (const Tensor& x : inputs) watched.push_back(tape.watch(x));
  Evaluated out;
  out.y = f(watched, &tape);
  out.nodes = tape.size();
  const bool is_loss = out.y.shape() == Shape{1, 1};
  const Tensor w = is_loss ? Tensor::full({1, 1}, 1, out.y.dtype())
                           : random_tensor(out.y.shape(), 1000, out.y.dtype());
  const std::vector<double> y = values(out.y), weight = values(w);
  Tensor loss = Tensor::full({1, 1}, std::inner_product(y.begin(), y.end(), weight.begin(), 0.0),
                             out.y.dtype());
  tape.record({&loss}, {&out.y}, [w](autograd::Backward& b) { b.add(0, w); });
  autograd::Gradients gradients;
  tape.backward(loss, gradients);
  for (const Tensor& x : watched) out.gradients.push_back(gradients.of(x));
  return out;
}

double distance(const Evaluated& got, const Evaluated& expected) {
  double largest = distance(got.y, expected.y);
  for (size_t i = 0; i < expected.gradients.size(); ++i) {
    largest = std::max(largest, distance(got.gradients[i], expected.gradients[i]));
  }
  return largest;
}

std::vector<Tensor> random_inputs(const std::vector<Shape>& shapes, DType dtype) {
  std::vector<Tensor> out;
  for (const Shape& shape : shapes) out.push_back(random_tensor(shape, out.size(), dtype));
  return out;
}

}  // namespace weft::test
