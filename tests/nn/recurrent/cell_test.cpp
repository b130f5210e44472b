// Recurrent cells over ragged sequences against PyTorch's nn.RNN, nn.GRU and nn.LSTM. The numbers
// are written by tools/golden/recurrent.py.
#include "weft/nn/recurrent/cell.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gradients.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/nn/recurrent/encoder.h"
#include "weft/nn/recurrent/options.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr double kCellTolerance = 1e-5;  // the file is in F32

class GoldenCells : public testing::TestWithParam<const char*> {
 protected:
  Tensor tensor(const std::string& name) const { return file_.tensor(name).to(DType::kF64); }
  Tensor own(const std::string& name) const {
    return tensor(fmt::format("{}.{}", GetParam(), name));
  }
  ops::LayoutPtr rows() const {
    const Tensor offsets = file_.tensor("offsets");
    return ops::make_layout({{offsets.data<int32_t>(), offsets.data<int32_t>() + offsets.size()}});
  }
  // Outputs and last states beside each other, one below the other where widths differ.
  formats::SafetensorsFile file_{test::source_path("tests/golden/recurrent.safetensors")};
};

TEST_P(GoldenCells, GiveTheValuesAndGradientsOfPyTorch) {
  const char* const names[] = {"x", "initial", "weight_ih", "weight_hh", "bias_ih", "bias_hh"};
  const ops::LayoutPtr packed = rows();
  const PackedSequence order(*packed, Direction::kForward);
  RecurrentOptions options;
  options.cell.select(GetParam());
  RecurrentCell cell(options.cell_kind(), 5, 4);
  autograd::Tape tape;
  std::vector<Tensor> in;
  for (const char* name : names) {
    in.push_back(tape.watch(std::string_view(name) == "x" ? tensor("x") : own(name)));
  }
  cell.weight_ih.value = in[2], cell.weight_hh.value = in[3];
  cell.bias_ih.value = in[4], cell.bias_hh.value = in[5];
  const Tensor x = ops::select_rows(in[0], order.rows, &tape);
  const Tensor initial = ops::select_rows(in[1], order.sequences, &tape);
  const Tensor states = cell.all_steps(cell.gates(x, &tape), order, initial, &tape);
  const Tensor outputs =
      ops::select_rows(cell.outputs(states, &tape), ops::inverse(order.rows), &tape);
  const Tensor last = ops::select_rows(states, order.last, &tape);
  EXPECT_LT(test::distance(outputs, own("outputs")), kCellTolerance);
  EXPECT_LT(test::distance(last, own("last")), kCellTolerance);

  Tensor loss = Tensor::zeros({1, 1}, DType::kF64);
  tape.record({&loss}, {&outputs, &last},
              [a = own("weights_of_outputs"), z = own("weights_of_last")](autograd::Backward& b) {
                b.add(0, a);
                b.add(1, z);
              });
  autograd::Gradients gradients;
  tape.backward(loss, gradients);
  for (size_t i = 0; i < in.size(); ++i) {
    const Tensor expected = own(fmt::format("grad.{}", names[i]));
    EXPECT_LT(test::distance(gradients.of(in[i]), expected), kCellTolerance) << names[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Cells, GoldenCells, testing::Values("tanh", "relu", "gru", "lstm"),
                         [](const auto& name) { return std::string(name.param); });

using GoldenEncoder = GoldenCells;

TEST_P(GoldenEncoder, ReadsBothWaysAsPyTorchDoes) {
  RngStreams dropouts;
  RecurrentEncoder encoder(
      {.cell = ops::CellKind::kLstm, .features = 4, .depth = 1, .bidirectional = true}, dropouts);
  RecurrentEncoder::Layer& layer = encoder.layers.front();
  const auto set = [&](RecurrentCell& cell, const std::string& suffix) {
    cell.weight_ih.value = own("weight_ih_l0" + suffix);
    cell.weight_hh.value = own("weight_hh_l0" + suffix);
    cell.bias_ih.value = own("bias_ih_l0" + suffix);
    cell.bias_hh.value = own("bias_hh_l0" + suffix);
  };
  set(layer.forward, "");
  set(layer.backward, "_reverse");
  Context context;
  const Memory memory = encoder(tensor("x"), rows(), context);
  EXPECT_LT(test::distance(memory.states, own("outputs")), kCellTolerance);
  ASSERT_EQ(memory.initial_decoder_state.size(), 1u);
  // What was read forwards ends at the last token, what was read backwards at the first.
  const Segments& segments = memory.rows->segments;
  for (int64_t b = 0; b < memory.rows->sequences(); ++b) {
    const Tensor end = memory.states.row_range(segments.end(b) - 1, segments.end(b));
    const Tensor begin = memory.states.row_range(segments.begin(b), segments.begin(b) + 1);
    const Tensor got = memory.initial_decoder_state[0].row_range(b, b + 1);
    EXPECT_TRUE(test::same_bits(got.col_range(0, 4).clone(), end.col_range(0, 4).clone()));
    EXPECT_TRUE(test::same_bits(got.col_range(4, 8).clone(), begin.col_range(4, 8).clone()));
  }
}

INSTANTIATE_TEST_SUITE_P(Lstm, GoldenEncoder, testing::Values("both"));

TEST(PackedSequence, TakesTheSequencesThatStillHaveATokenAtEachStep) {
  const ops::LayoutPtr rows = ops::make_layout({{0, 2, 5, 6}});
  const PackedSequence forwards(*rows, Direction::kForward), back(*rows, Direction::kBackward);
  EXPECT_THAT(*forwards.steps, ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(*forwards.rows.from, ElementsAre(2, 0, 5, 3, 1, 4));
  EXPECT_THAT(*forwards.sequences.from, ElementsAre(1, 0, 2));
  EXPECT_THAT(*forwards.last.from, ElementsAre(4, 5, 2));
  EXPECT_THAT(forwards.numbered->sequence, ElementsAre(1, 0, 2, 1, 0, 1));
  EXPECT_THAT(forwards.numbered->position, ElementsAre(0, 0, 0, 1, 1, 2));
  EXPECT_THAT(*back.rows.from, ElementsAre(4, 1, 5, 3, 0, 2));
  EXPECT_THAT(*back.last.from, ElementsAre(4, 5, 2));
}

TEST(PackedSequence, RefusesASequenceWithoutTokens) {
  const ops::LayoutPtr rows = ops::make_layout({{0, 2, 2, 3}});
  EXPECT_THAT([&] { PackedSequence(*rows, Direction::kForward); },
              ThrowsMessage<ShapeError>(HasSubstr("sequence 1 has no tokens")));
}

}  // namespace
}  // namespace weft::nn
