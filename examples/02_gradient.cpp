// 02: gradients. A tape records the ops; backward() computes the gradients in reverse order. Then
// the gradient check that every op of the library passes: finite differences in double.
#include <fmt/core.h>

#include "weft/autograd/gradient_check.h"
#include "weft/ops/activation.h"
#include "weft/ops/matmul.h"
#include "weft/ops/sum.h"

using namespace weft;

// sum(gelu(x w))
static Tensor network(const std::vector<Tensor>& inputs, autograd::Tape* tape) {
  const Tensor h = ops::matmul(inputs[0], inputs[1], {}, tape);           // [2, 2]
  return ops::sum(ops::activate(ops::Activation::kGelu, h, tape), tape);  // [1, 1]
}

int main() {
  const Tensor x = Tensor::from(std::vector<float>{1, -2, 3, 0.5, -1, 2}, {2, 3});
  const Tensor w = Tensor::from(std::vector<float>{0.1, 0.2, -0.3, 0.4, 0.5, -0.6}, {3, 2});

  // watch() requests the gradient of a tensor; all ops that depend on it are recorded.
  autograd::Tape tape;
  const Tensor watched = tape.watch(w);
  const Tensor loss = network({x, watched}, &tape);

  autograd::Gradients gradients;
  tape.backward(loss, gradients);
  fmt::print("loss = {:.6f}\n", loss.item());
  fmt::print("d loss / d w = {}\n\n", to_text(gradients.of(watched)));

  const autograd::GradientCheck check =
      autograd::check_gradients(network, {x.to(DType::kF64), w.to(DType::kF64)});
  fmt::print("against finite differences: {}, worst error {:.1e}\n", check.ok ? "equal" : "WRONG",
             check.worst);
  return check.ok ? 0 : 1;
}
