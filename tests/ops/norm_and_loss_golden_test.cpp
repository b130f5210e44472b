// Norms and losses against PyTorch. The file is written by tools/golden/norms_and_losses.py.
#include <gtest/gtest.h>

#include "tests/support/gradients.h"
#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/ops/batch_norm.h"
#include "weft/ops/fused/distillation_loss.h"
#include "weft/ops/fused/paired_loss.h"
#include "weft/ops/losses/ctc.h"
#include "weft/ops/losses/divergence.h"
#include "weft/ops/rms_norm.h"
#include "weft/ops/scale.h"
#include "weft/ops/sum.h"

namespace weft::ops {
namespace {

using Inputs = const std::vector<Tensor>&;
using weft::test::distance;
using weft::test::evaluate;

// f32 against double.
constexpr double kRounding = 3e-6;

class GoldenNormsAndLosses : public testing::Test {
 protected:
  Tensor golden(const std::string& name) const { return file_.tensor(name); }
  void expect(const Tensor& got, const std::string& name) const {
    EXPECT_LE(distance(got, golden(name)), kRounding) << name;
  }
  Ids targets() const {
    const Tensor ids = golden("targets");
    return make_ids({ids.span<int32_t>().begin(), ids.span<int32_t>().end()});
  }
  // The gradient of sum(w * f(inputs)).
  std::vector<Tensor> gradients(const autograd::CheckedFunction& f,
                                const std::vector<Tensor>& inputs) const {
    const Tensor w = golden("w");
    return evaluate(
               [&](Inputs in, Tape* tape) { return sum(multiply(f(in, tape), w, tape), tape); },
               inputs)
        .gradients;
  }

  formats::SafetensorsFile file_{
      weft::test::source_path("tests/golden/norms_and_losses.safetensors")};
};

TEST_F(GoldenNormsAndLosses, RmsNormIsPyTorchs) {
  const auto f = [](Inputs in, Tape* tape) { return rms_norm(in[0], {in[1], 1e-3}, tape); };
  const std::vector<Tensor> inputs{golden("x"), golden("gamma")};
  expect(f(inputs, nullptr), "rms.y");
  const auto d = gradients(f, inputs);
  expect(d[0], "rms.d_x");
  expect(d[1], "rms.d_gamma");
}

TEST_F(GoldenNormsAndLosses, BatchNormIsPyTorchs) {
  const auto f = [](Inputs in, Tape* tape) {
    const Tensor moments = column_moments(in[0]);
    return batch_norm(in[0], {in[1], in[2], 1e-3}, {moments}, tape);
  };
  const std::vector<Tensor> inputs{golden("x"), golden("gamma"), golden("beta")};
  expect(f(inputs, nullptr), "batch.y");
  const auto d = gradients(f, inputs);
  expect(d[0], "batch.d_x");
  expect(d[1], "batch.d_gamma");
  expect(d[2], "batch.d_beta");
}

TEST_F(GoldenNormsAndLosses, LossesArePyTorchs) {
  constexpr std::pair<const char*, LossKind> kKinds[] = {
      {"cross-entropy", LossKind::kCrossEntropy},
      {"kl", LossKind::kKl},
      {"euclidean", LossKind::kEuclidean},
      {"squared-euclidean", LossKind::kSquaredEuclidean}};
  for (const auto& [name, kind] : kKinds) {
    const CrossEntropy params{.smoothing = 0.1, .kind = kind};
    const auto result = evaluate(
        [&](Inputs in, Tape* tape) { return cross_entropy(in[0], targets(), params, tape).value; },
        {golden("logits")});
    expect(result.y, name);
    expect(result.gradients[0], std::string(name) + ".d");
  }
}

TEST_F(GoldenNormsAndLosses, DivergenceIsPyTorchs) {
  const auto result =
      evaluate([](Inputs in,
                  Tape* tape) { return divergence(in[0], in[1], {.temperature = 2}, tape).value; },
               {golden("logits"), golden("other")});
  expect(result.y, "divergence");
  expect(result.gradients[0], "divergence.d_x");
  expect(result.gradients[1], "divergence.d_z");
}

// States that are logits: the projection is the unit matrix.
class GoldenMixedLosses : public GoldenNormsAndLosses {
 protected:
  GoldenMixedLosses() : unit_(Tensor::zeros({7, 7})) {
    for (int64_t i = 0; i < 7; ++i) unit_.data<float>()[i * 8] = 1;
    const Tensor weights = golden("row-weights");
    target_loss_.smoothing = 0.1;
    target_loss_.row_weights = std::make_shared<const std::vector<float>>(
        weights.span<float>().begin(), weights.span<float>().end());
  }

  Tensor unit_, none_;
  CrossEntropy target_loss_;
};

TEST_F(GoldenMixedLosses, RDropIsHalfOfThePapersSum) {
  for (const auto& loss : {paired_loss, paired_loss_composite}) {
    const auto result = evaluate(
        [&](Inputs in, Tape* tape) {
          return loss({in[0], in[1]}, {unit_, none_}, targets(),
                      {.truth = target_loss_, .alpha = 5}, tape)
              .value;
        },
        {golden("logits"), golden("other")});
    expect(result.y, "r-drop");
    expect(result.gradients[0], "r-drop.d_x");
    expect(result.gradients[1], "r-drop.d_z");
  }
}

TEST_F(GoldenMixedLosses, ATeachersDivergenceCountsByTheSquareOfItsTemperature) {
  const Distillation params{.truth = target_loss_, .share = 0.3, .temperature = 2};
  for (const auto& loss : {distillation_loss, distillation_loss_composite}) {
    const auto result = evaluate(
        [&](Inputs in, Tape* tape) {
          return loss({in[0], {unit_, none_}}, {golden("other"), {unit_, none_}}, targets(), params,
                      tape)
              .value;
        },
        {golden("logits")});
    expect(result.y, "teacher");
    expect(result.gradients[0], "teacher.d_x");
  }
}

TEST_F(GoldenNormsAndLosses, CtcIsPyTorchs) {
  const LayoutPtr rows = make_layout({{0, 5, 8, 12}});
  const LabelsPtr labels = make_labels({1, 1, 2, 3, 2, 2, 2}, {{0, 3, 4, 7}});
  CtcLoss loss;
  const auto result = evaluate(
      [&](Inputs in, Tape* tape) {
        loss = ctc(in[0], rows, labels, {}, tape);
        return loss.value;
      },
      {golden("ctc.logits")});
  const Tensor each = golden("ctc.losses");
  for (size_t b = 0; b < 3; ++b) EXPECT_NEAR(loss.losses[b], each.data<float>()[b], 1e-5);
  EXPECT_EQ(loss.impossible.size(), 1u);
  expect(result.gradients[0], "ctc.d");
}

}  // namespace
}  // namespace weft::ops
