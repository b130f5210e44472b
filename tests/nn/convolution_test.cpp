// The convolutional encoder against PyTorch's nn.Conv1d and glu. The numbers are written by
// tools/golden/convolution.py.
#include "weft/nn/convolution.h"

#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

using test::distance;

constexpr double kConvolutionTolerance = 1e-6;  // the file is in F32

TEST(ConvolutionalEncoder, GivesTheValuesAndGradientsOfPyTorch) {
  const formats::SafetensorsFile file(test::source_path("tests/golden/convolution.safetensors"));
  const auto golden = [&](const std::string& name) { return file.tensor(name).to(DType::kF64); };
  // Sequences of 3, 1 and 7 tokens: windows end at either side, or at both.
  const Tensor offsets = file.tensor("offsets");
  const ops::LayoutPtr rows =
      ops::make_layout({{offsets.data<int32_t>(), offsets.data<int32_t>() + offsets.size()}});
  RngStreams dropouts;
  ConvolutionalEncoder encoder({.features = 3, .depth = 2, .width = 5}, dropouts);
  const auto named = parameters_of(encoder);
  const Tensor flat = nn::bind(named, DType::kF64);
  for (const auto& [name, p] : named)
    backend_of(flat)(kernels::Copy{.x = golden(name), .y = p->value});

  autograd::Tape tape;
  const Tensor x = tape.watch(golden("x"));
  Context context{.tape = &tape};
  const Memory memory = encoder(x, rows, context);
  ASSERT_EQ(memory.initial_decoder_state.size(), 1u);
  const Tensor& last = memory.initial_decoder_state[0];
  EXPECT_LT(distance(memory.states, golden("states")), kConvolutionTolerance);
  EXPECT_LT(distance(last, golden("last")), kConvolutionTolerance);

  Tensor loss = Tensor::zeros({1, 1}, DType::kF64);
  tape.record(
      {&loss}, {&memory.states, &last},
      [a = golden("weights_of_states"), z = golden("weights_of_last")](autograd::Backward& b) {
        b.add(0, a);
        b.add(1, z);
      });
  autograd::Gradients gradients(flat);
  tape.backward(loss, gradients);
  EXPECT_LT(distance(gradients.of(x), golden("grad.x")), kConvolutionTolerance);
  for (const auto& [name, p] : named) {
    EXPECT_LT(distance(gradients.of(p->value), golden("grad." + name)), kConvolutionTolerance)
        << name;
  }
}

// Row n of a picture depends on those around it alone.
TEST(ConvolutionalEncoder, SeesTheSquareAroundAPatch) {
  auto rows = std::make_shared<ops::Layout>(*ops::make_layout({{0, 20}}));
  for (int32_t n = 0; n < 20; ++n) rows->grid.insert(rows->grid.end(), {n / 5, n % 5});
  RngStreams dropouts;
  ConvolutionalEncoder encoder({.features = 2, .depth = 1, .width = 3, .in_grid = true}, dropouts);
  EXPECT_EQ(encoder.layers.front().weight.shape, Shape({4, 18}));
  nn::bind(parameters_of(encoder), DType::kF64);
  initialise(parameters_of(encoder), 1);
  const Tensor x = test::random_tensor({20, 2}, 1);
  const Context context;
  const Tensor before = encoder(x, rows, context).states;
  const Tensor changed = x.clone();
  changed.data<double>()[2 * 7] += 1;  // row 1, column 2
  const Tensor after = encoder(changed, rows, context).states;
  for (int64_t n = 0; n < 20; ++n) {
    const bool is_near = std::abs(n / 5 - 1) <= 1 && std::abs(n % 5 - 2) <= 1;
    EXPECT_EQ(distance(after.row_range(n, n + 1), before.row_range(n, n + 1)) > 1e-9, is_near) << n;
  }
}

}  // namespace
}  // namespace weft::nn
