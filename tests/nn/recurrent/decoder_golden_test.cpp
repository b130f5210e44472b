// Recurrent decoders, with and without attention, against the equations of docs/models.md written
// with PyTorch's nn.GRUCell and nn.LSTMCell. The numbers are written by tools/golden/recurrent.py.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/recurrent/decoder.h"

namespace weft::nn {
namespace {

using test::distance;

constexpr double kDecoderTolerance = 1e-6;  // the file is in F32

struct DecoderCase {
  const char* name;
  RecurrentDecoderOptions options;
  friend std::ostream& operator<<(std::ostream& out, const DecoderCase& c) { return out << c.name; }
};

// More layers than the encoder has, so that some start from its last one's state.
const RecurrentDecoderOptions kCopied = {
    .cell = ops::CellKind::kLstm, .features = 4, .depth = 3, .copies_start = true};
const RecurrentDecoderOptions kBahdanau = {.cell = ops::CellKind::kGru,
                                           .features = 4,
                                           .depth = 2,
                                           .memory_width = 6,
                                           .last_size = 5,
                                           .attention = SourceAttention::kBahdanau};
const RecurrentDecoderOptions kLuong = {.cell = ops::CellKind::kLstm,
                                        .features = 4,
                                        .depth = 1,
                                        .memory_width = 6,
                                        .last_size = 5,
                                        .attention = SourceAttention::kLuong};
const RecurrentDecoderOptions kFeeding = {.cell = ops::CellKind::kGru,
                                          .features = 4,
                                          .depth = 2,
                                          .memory_width = 6,
                                          .last_size = 5,
                                          .feeds_input = true,
                                          .attention = SourceAttention::kLuong};

class GoldenDecoder : public testing::TestWithParam<DecoderCase> {
 protected:
  std::string full(const std::string& name) const {
    return fmt::format("decoder.{}.{}", GetParam().name, name);
  }
  Tensor golden(const std::string& name) const { return file_.tensor(full(name)).to(DType::kF64); }
  ops::LayoutPtr rows(const char* side) const {
    const Tensor offsets = file_.tensor(fmt::format("decoder.{}_offsets", side));
    return ops::make_layout({{offsets.data<int32_t>(), offsets.data<int32_t>() + offsets.size()}});
  }

  formats::SafetensorsFile file_{test::source_path("tests/golden/recurrent.safetensors")};
};

TEST_P(GoldenDecoder, GivesTheValuesAndGradientsOfPyTorch) {
  RngStreams dropouts;
  RecurrentDecoder decoder(GetParam().options, dropouts);
  const auto named = parameters_of(decoder);
  const Tensor flat = nn::bind(named, DType::kF64);
  for (const auto& [name, p] : named) {
    ASSERT_EQ(golden(name).shape(), p->shape) << name;
    backend_of(flat)(kernels::Copy{.x = golden(name), .y = p->value});
  }
  autograd::Tape tape;
  std::map<std::string, Tensor> in;
  for (const char* name : {"x", "memory", "last.0", "last.1"}) {
    if (file_.has(full(name))) in[name] = tape.watch(golden(name));
  }
  const Memory memory{in["memory"], rows("source"), {in["last.0"], in["last.1"]}};
  Context context{.tape = &tape};
  const Tensor outputs = decoder.forward(in["x"], rows("target"), memory, context);
  EXPECT_LT(distance(outputs, golden("outputs")), kDecoderTolerance);

  autograd::Gradients gradients(flat);
  tape.backward(outputs, golden("weights_of_outputs"), gradients);
  for (const auto& [name, x] : in) {
    if (!x) continue;  // without attention there is no memory
    EXPECT_LT(distance(gradients.of(x), golden("grad." + name)), kDecoderTolerance) << name;
  }
  for (const auto& [name, p] : named) {
    EXPECT_LT(distance(gradients.of(p->value), golden("grad." + name)), kDecoderTolerance) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Decoders, GoldenDecoder,
                         testing::Values(DecoderCase{"copied", kCopied},
                                         DecoderCase{"bahdanau", kBahdanau},
                                         DecoderCase{"luong", kLuong},
                                         DecoderCase{"feeding", kFeeding}),
                         [](const auto& name) { return std::string(name.param.name); });

}  // namespace
}  // namespace weft::nn
