#include "weft/nn/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/paths.h"
#include "tests/support/tensors.h"
#include "weft/formats/safetensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/scale.h"

namespace weft::nn {
namespace {

using test::distance;

std::vector<std::string> names_of(Norm norm) {
  std::vector<std::string> out;
  for (const auto& [name, p] : parameters_of(norm)) out.push_back(name);
  return out;
}

TEST(Norm, NamesItsParametersByItsKind) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_of(make_norm({.kind = LayerNormOptions{}}, 4)), (Names{"weight", "bias"}));
  EXPECT_EQ(names_of(make_norm({.kind = RmsNormOptions{}}, 4)), Names{"weight"});
  EXPECT_EQ(names_of(make_norm({.kind = BatchNormOptions{}}, 4)),
            (Names{"weight", "bias", "running_mean", "running_var"}));
  EXPECT_FALSE(Norm().is_present());
}

class BatchNormOfGolden : public testing::Test {
 protected:
  BatchNormOfGolden() : norm_(5, 1e-3, 0.1), named_(parameters_of(norm_)) {
    nn::bind(named_);
    initialise(named_, 1);
    backend_of(golden("x"))(kernels::Copy{.x = golden("gamma"), .y = norm_.weight.value});
    backend_of(golden("x"))(kernels::Copy{.x = golden("beta"), .y = norm_.bias.value});
  }
  Tensor golden(const std::string& name) const { return file_.tensor(name); }

  formats::SafetensorsFile file_{test::source_path("tests/golden/norms_and_losses.safetensors")};
  BatchNorm norm_;
  std::vector<NamedParameter> named_;
};

TEST_F(BatchNormOfGolden, RunsAsPyTorchsDoes) {
  const Tensor x = golden("x"), twice = Tensor::empty({4, 5});
  backend_of(x)(kernels::Scale{.alpha = 2, .x = x.row_range(0, 4), .y = twice});
  std::vector<RunningStatistics> seen;
  Context context{.training = true, .statistics = &seen};
  norm_(x, context);
  norm_(twice, context);
  EXPECT_EQ(norm_.running_mean.value.data<float>()[0], 0);  // a pass changes nothing
  ASSERT_EQ(seen.size(), 2u);
  for (const RunningStatistics& s : seen) {
    EXPECT_EQ(s.buffers[0], &norm_.running_mean);
    EXPECT_EQ(s.buffers[1], &norm_.running_var);
    s.update(std::vector<Tensor>{norm_.running_mean, norm_.running_var});
  }
  EXPECT_LE(distance(norm_.running_mean, golden("batch.running_mean")), 1e-6);
  EXPECT_LE(distance(norm_.running_var, golden("batch.running_var")), 1e-6);
  Context inference;
  EXPECT_LE(distance(norm_(x, inference), golden("batch.fixed")), 3e-6);
}

TEST_F(BatchNormOfGolden, DependsOnNoOtherRowInInference) {
  const Tensor x = golden("x");
  Context inference;
  const Tensor whole = norm_(x, inference), one = norm_(x.row_range(2, 3), inference);
  EXPECT_TRUE(test::same_bits(one, whole.row_range(2, 3)));
}

TEST_F(BatchNormOfGolden, WithFrozenStatisticsTrainsAsInInference) {
  const Tensor x = golden("x");
  norm_.running_mean.value.data<float>()[1] = 0.7f;
  norm_.running_var.value.data<float>()[2] = 3;
  norm_.running_mean.freeze();
  norm_.running_var.freeze();
  std::vector<RunningStatistics> seen;
  Context training{.training = true, .statistics = &seen}, inference;
  EXPECT_TRUE(test::same_bits(norm_(x, training), norm_(x, inference)));
  EXPECT_TRUE(seen.empty());
}

TEST(BatchNorm, TakesOneRowsVarianceAsItIs) {
  BatchNorm norm(2, 1e-5, 0.5);
  const auto named = parameters_of(norm);
  nn::bind(named);
  initialise(named, 1);
  std::vector<RunningStatistics> seen;
  Context context{.training = true, .statistics = &seen};
  norm(Tensor::full({1, 2}, 4), context);
  const std::vector<Tensor> running = {norm.running_mean, norm.running_var};
  seen.at(0).update(running);
  EXPECT_EQ(running[0].data<float>()[1], 2);
  EXPECT_EQ(running[1].data<float>()[1], 0.5);
}

TEST(Norm, IsAtTheEndOfAStackAndOnOutputsByItsPlacement) {
  const auto has = [](NormPlacement placement) {
    const NormOptions options{.placement = std::move(placement)};
    return std::pair(make_stack_norm(options, 4).is_present(),
                     make_output_norm(options, 4).is_present());
  };
  EXPECT_EQ(has(PostNorm{}), std::pair(false, false));
  EXPECT_EQ(has(PreNorm{}), std::pair(true, false));
  EXPECT_EQ(has(SandwichNorm{}), std::pair(true, true));
}

TEST(Residual, HasItsNormsWhereTheirPlacementSays) {
  Norm norm = make_norm({}, 4);
  const auto named = parameters_of(norm);
  nn::bind(named);
  initialise(named, 1);
  const Tensor x = Tensor::from(std::vector<float>{1, 2, 4, -3, 0, 5, 1, 1}, {2, 4});
  const ops::LayoutPtr rows = ops::make_layout({{0, 2}});
  const Context context;
  const Sublayer f = [](const Tensor& y) {
    return ops::activate(ops::Activation::kRelu, y, nullptr);
  };
  const auto scaled_sum = [&](const Tensor& y) {
    return ops::add(ops::scale(x, 3, nullptr), y, nullptr);
  };
  const Residual post{.norm = norm, .placement = PostNorm{}, .scale = 3, .dropout = {}};
  EXPECT_LE(distance(post(x, rows, context, f), norm(scaled_sum(f(x)), context)), 1e-6);
  const Residual pre{.norm = norm, .placement = PreNorm{}, .scale = 3, .dropout = {}};
  EXPECT_LE(distance(pre(x, rows, context, f), scaled_sum(f(norm(x, context)))), 1e-6);
  const Residual both{
      .norm = norm, .output_norm = norm, .placement = SandwichNorm{}, .scale = 3, .dropout = {}};
  EXPECT_LE(distance(both(x, rows, context, f), scaled_sum(norm(f(norm(x, context)), context))),
            1e-6);
}

}  // namespace
}  // namespace weft::nn
