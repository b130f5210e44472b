// The decoders of CroCo and of DUSt3R against PyTorch. The numbers are written by
// tools/golden/croco.py.
#include "weft/nn/transformer/two_streams.h"

#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/add.h"
#include "weft/ops/scale.h"
#include "weft/ops/sum.h"

namespace weft::nn {
namespace {

constexpr double kTolerance = 1e-6;  // the file's numbers are floats
constexpr int64_t kPairs = 2;

// Rows of pairs with a grid of this size.
ops::LayoutPtr grid_rows(int32_t height, int32_t width) {
  auto rows = std::make_shared<ops::Layout>(
      *ops::make_layout(Segments::uniform(kPairs, int64_t{height} * width)));
  for (int64_t b = 0; b < kPairs; ++b) {
    for (int32_t y = 0; y < height; ++y) {
      for (int32_t x = 0; x < width; ++x) rows->grid.insert(rows->grid.end(), {y, x});
    }
  }
  return rows;
}

Memory view(const Tensor& states, const ops::LayoutPtr& rows) {
  return {
      .states = states,
      .rows = rows,
      .rotary = RotaryPosition(2, ops::rotary_frequencies(100, 2)).in_attention(rows, {}).rotary};
}

Stack golden_stack(RngStreams& dropouts) {
  BlockOptions block{.attention = {.features = 16, .heads = 2, .key_size = 8, .value_size = 8},
                     .norm = {.placement = PreNorm{}, .epsilon = 1e-6},
                     .dropout = 0,
                     .has_cross_attention = true,
                     .has_memory_norm = true};
  block.feed_forward.inner = 24;
  block.feed_forward.activation = GeluFeedForward{};
  return {{.depth = 2}, block, dropouts};
}

class GoldenDecoders : public testing::Test {
 protected:
  GoldenDecoders() {
    RngStreams dropouts;
    decoders_ = {golden_stack(dropouts), golden_stack(dropouts)};
    named_ = parameters_of(decoders_);
    flat_ = nn::bind(named_, DType::kF64);
    for (const auto& [name, p] : named_) {
      EXPECT_EQ(p->shape, golden(name).shape()) << name;
      backend_of(flat_)(kernels::Copy{.x = golden(name), .y = p->value});
    }
    context_.tape = &tape_;
    x1_ = tape_.watch(golden("x1"));
    x2_ = tape_.watch(golden("x2"));
  }

  Tensor golden(const std::string& name) const { return file_.tensor(name).to(DType::kF64); }
  // Whether every gradient that the file has under this name is as there.
  void expect_gradients(const autograd::Gradients& found, const std::string& name) const {
    const auto expect = [&](const std::string& key, const Tensor& x) {
      const std::string wanted = "grad." + name + "." + key;
      if (!file_.has(wanted)) return;
      EXPECT_LT(test::distance(found.of(x), golden(wanted)), kTolerance) << wanted;
    };
    expect("x1", x1_);
    expect("x2", x2_);
    for (const auto& [key, p] : named_) expect(key, p->value);
  }

  const formats::SafetensorsFile file_{test::source_path("tests/golden/croco.safetensors")};
  const ops::LayoutPtr first_rows_ = grid_rows(2, 3), second_rows_ = grid_rows(3, 3);
  TwoStreams decoders_;
  std::vector<NamedParameter> named_;
  Tensor flat_, x1_, x2_;
  autograd::Tape tape_;
  Context context_;
};

TEST_F(GoldenDecoders, OneStreamIsThatOfCroco) {
  for (const bool recompute : {false, true}) {
    SCOPED_TRACE(recompute);
    context_.recompute = recompute;
    x1_ = tape_.watch(golden("x1"));
    x2_ = tape_.watch(golden("x2"));
    const Memory own = view(x1_, first_rows_), memory = view(x2_, second_rows_);
    const AttentionPosition position{.rotary = own.rotary, .bias = {}};
    const Tensor y = decoders_.first.forward(own.states, {own.rows, position}, memory, context_);
    EXPECT_LT(test::distance(y, golden("one")), kTolerance);
    autograd::Gradients gradients(flat_);
    tape_.backward(y, golden("d1"), gradients);
    expect_gradients(gradients, "one");
  }
}

TEST_F(GoldenDecoders, TwoStreamsAreThoseOfDust3r) {
  const auto [first, second] = decoders_(view(x1_, first_rows_), view(x2_, second_rows_), context_);
  EXPECT_LT(test::distance(first, golden("two.first")), kTolerance);
  EXPECT_LT(test::distance(second, golden("two.second")), kTolerance);
  const auto weighted = [&](const Tensor& y, const char* d) {
    return ops::sum(ops::multiply(y, golden(d), &tape_), &tape_);
  };
  const Tensor loss = ops::add(weighted(first, "d1"), weighted(second, "d2"), &tape_);
  autograd::Gradients gradients(flat_);
  tape_.backward(loss, gradients);
  expect_gradients(gradients, "two");
}

// Without rotary positions of the memory cross-attention does not see where its rows stand.
TEST_F(GoldenDecoders, CrossAttentionSeesPlacesByTheRotaryPositionsOfTheMemory) {
  const Memory own = view(x1_, first_rows_);
  Memory memory = view(x2_, second_rows_);
  const AttentionPosition position{.rotary = own.rotary, .bias = {}};
  memory.rotary.reset();
  const Tensor y = decoders_.first.forward(own.states, {own.rows, position}, memory, {});
  EXPECT_GT(test::distance(y, golden("one")), 1e-3);
}

}  // namespace
}  // namespace weft::nn
