// 01: tensors. A tensor is a handle to shared memory; views share it, ops return new tensors.
#include <fmt/core.h>

#include "weft/ops/matmul.h"
#include "weft/ops/softmax.h"

int main() {
  using namespace weft;

  // A matrix with two rows and three columns.
  const Tensor x = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  fmt::print("x = {}\n\n", to_text(x));

  // A view of columns 1 and 2 shares the memory of x: writing to it changes x.
  const Tensor view = x.col_range(1, 3);
  view.data<float>()[0] = 20;
  fmt::print("x after writing through a view = {}\n\n", to_text(x));

  // Ops take tensors and return new ones. The last argument is the autograd tape; without one,
  // nothing is saved for gradients.
  const Tensor scores = ops::matmul(x, x, {.b = true}, nullptr);  // x x^T, [2, 2]
  fmt::print("x x^T = {}\n\n", to_text(scores));
  fmt::print("softmax of its rows = {}\n\n", to_text(ops::softmax(scores, nullptr)));

  // Shapes that do not match are an error that says what was expected.
  try {
    ops::matmul(x, x, {}, nullptr);
  } catch (const ShapeError& error) {
    fmt::print("x x: {}\n", error.what());
  }
  return 0;
}
