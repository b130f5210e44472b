// Against Transformers' Speech2Text. The numbers are written by tools/golden/subsampler.py.
#include "weft/nn/subsampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/autograd/tape.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;

TEST(Subsampler, GivesTheRowsAndGradientsOfTransformers) {
  const formats::SafetensorsFile file(test::source_path("tests/golden/subsampler.safetensors"));
  const auto golden = [&](const std::string& name) { return file.tensor(name).to(DType::kF64); };
  Subsampler model({.layers = 2, .channels = 5, .width = 5}, 6, 8);
  const auto named = parameters_of(model);
  const Tensor flat = bind(named, DType::kF64);
  for (const auto& [name, p] : named) {
    ASSERT_EQ(p->shape, golden(name).shape()) << name;
    backend_of(flat)(kernels::Copy{.x = golden(name), .y = p->value});
  }
  const Tensor x = ops::concat_rows(golden("x.0"), golden("x.1"), nullptr);
  autograd::Tape tape;
  const auto [y, rows] = model(x, ops::make_layout({{0, 9, 15}}), &tape);
  EXPECT_THAT(rows->segments.offsets, ElementsAre(0, 3, 5));
  const Tensor expected = ops::concat_rows(golden("y.0"), golden("y.1"), nullptr);
  EXPECT_LT(test::distance(y, expected), 1e-5);
  autograd::Gradients gradients(flat);
  tape.backward(y, y, gradients);  // of the sum of squares / 2
  for (const auto& [name, p] : named) {
    EXPECT_LT(test::distance(gradients.of(p->value), golden("grad." + name)), 1e-5) << name;
  }
}

TEST(Subsampler, HalvesTheRowsForEachLayer) {
  const SubsamplerOptions options{.layers = 3};
  for (const auto& [rows, left] : {std::pair<int64_t, int64_t>{0, 0}, {1, 1}, {8, 1}, {9, 2}}) {
    EXPECT_EQ(options.rows_of(rows), left) << rows;
  }
}

TEST(Subsampler, RefusesAnEvenWidth) {
  EXPECT_EQ(test::message_of<OptionError>([] { SubsamplerOptions{.width = 4}.check(); }),
            "--subsampling-width: expected an odd number of rows, got 4");
}

}  // namespace
}  // namespace weft::nn
