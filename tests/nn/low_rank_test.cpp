#include "weft/nn/low_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"
#include "weft/core/error.h"
#include "weft/nn/attention/multi_head.h"
#include "weft/nn/feed_forward.h"
#include "weft/ops/sum.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Parts of a layer, in F64.
struct SmallLayer {
  MultiHeadAttention attention;
  FeedForward network;

  explicit SmallLayer(bool is_gated) {
    RngStreams streams;
    attention = {{.features = 6, .heads = 2, .key_heads = 1, .key_size = 2, .value_size = 4},
                 streams};
    network = {{.inner = 5, .gated = is_gated}, 6, streams};
    const auto parameters = parameters_of(*this);
    fill(nn::bind(parameters, DType::kF64), 1);
  }
  // Random updates, which are no updates at first.
  void update(const std::vector<LowRankTarget>& targets, const LowRankParams& params) {
    add_low_rank(parameters_of(*this), targets, params);
    fill(nn::bind(low_rank_parameters(parameters_of(*this)), DType::kF64), 2);
  }
  Tensor operator()(const Tensor& x, const Context& context) const {
    const auto rows = ops::make_layout({{0, 2, static_cast<int32_t>(x.rows())}});
    const AttentionPosition position;
    return network(attention.forward(x, {rows, position}, context), rows, context);
  }
  static void fill(const Tensor& flat, uint64_t stream) {
    const Tensor values = test::random_tensor(flat.shape(), stream);
    std::copy_n(values.data<double>(), flat.size(), flat.data<double>());
  }
  template <class V>
  void fields(V& v) {
    v("self_attn", attention);
    v("feed_forward", network);
  }
};

const std::vector<LowRankTarget> kSomeMaps = {{"self_attn.q_proj.weight", 3},
                                              {"self_attn.v_proj.weight", 2},
                                              {"self_attn.out_proj.weight", 1},
                                              {"feed_forward.fc1.weight", 2},
                                              {"feed_forward.fc2.weight", 4}};

// W + scale * B A of every weight with an update, by naive sums; the updates are gone.
void merge_naively(SmallLayer& layer) {
  for (const auto& [name, p] : parameters_of(layer)) {
    for (const LowRank& update : p->low_rank) {
      double* const w = p->value.data<double>();
      const double* const a = update.down.value.data<double>();
      const double* const b = update.up.value.data<double>();
      const int64_t in = p->shape.cols(), rank = update.up.shape.cols();
      for (int64_t i = 0; i < p->shape.rows(); ++i) {
        for (int64_t j = 0; j < in; ++j) {
          for (int64_t k = 0; k < rank; ++k) {
            w[i * in + j] += update.scale * b[i * rank + k] * a[k * in + j];
          }
        }
      }
    }
    p->low_rank.clear();
  }
}

class LowRankUpdates : public testing::TestWithParam<bool> {
 protected:
  SmallLayer layer_{GetParam()};
  Tensor x_ = test::random_tensor({5, 6}, 3);
};

TEST_P(LowRankUpdates, AreWeightsWithTheProductAdded) {
  const Tensor before = layer_(x_, {});
  layer_.update(kSomeMaps, {.scale = 0.5});
  const Tensor updated = layer_(x_, {});
  EXPECT_GT(test::distance(updated, before), 0.01);
  merge_naively(layer_);
  EXPECT_LE(test::distance(updated, layer_(x_, {})), 1e-12);
}

TEST_P(LowRankUpdates, AloneHaveGradients) {
  layer_.update(kSomeMaps, {.scale = 2});
  const auto updates = low_rank_parameters(parameters_of(layer_));
  const Tensor flat = nn::bind(updates, DType::kF64);
  SmallLayer::fill(flat, 4);
  autograd::Gradients gradients(flat);
  autograd::Tape tape;
  const auto loss = [&](autograd::Tape* on) { return ops::sum(layer_(x_, {.tape = on}), on); };
  tape.backward(loss(&tape), gradients);
  constexpr double kStep = 1e-6;
  for (int64_t i = 0; i < flat.size(); ++i) {
    double& value = flat.data<double>()[i];
    const double kept = value;
    value = kept + kStep;
    const double above = loss(nullptr).item();
    value = kept - kStep;
    const double below = loss(nullptr).item();
    value = kept;
    EXPECT_NEAR(gradients.flat().data<double>()[i], (above - below) / (2 * kStep), 1e-6) << i;
  }
}

TEST_P(LowRankUpdates, DropTheirInputInTraining) {
  const Tensor before = layer_(x_, {});
  layer_.update(kSomeMaps, {.scale = 0.5, .dropout = 0.5});
  const Tensor without = layer_(x_, {});
  const Tensor with = layer_(x_, {.training = true, .key = {1, 2}});
  EXPECT_GT(test::distance(with, without), 0.01);
  EXPECT_TRUE(test::same_bits(with, layer_(x_, {.training = true, .key = {1, 2}})));
  EXPECT_GT(test::distance(with, layer_(x_, {.training = true, .key = {2, 2}})), 0.01);
}

INSTANTIATE_TEST_SUITE_P(LowRank, LowRankUpdates, testing::Bool(),
                         [](const auto& p) { return p.param ? "Gated" : "Plain"; });

TEST(LowRank, IsNoUpdateAtFirst) {
  SmallLayer layer(true);
  const Tensor x = test::random_tensor({5, 6}, 3);
  const Tensor before = layer(x, {});
  add_low_rank(parameters_of(layer), kSomeMaps, {});
  const auto updates = low_rank_parameters(parameters_of(layer));
  nn::bind(updates, DType::kF64);
  initialise(updates, 1);
  EXPECT_TRUE(test::same_bits(layer(x, {}), before));
  const Tensor& down = updates.front().parameter->value;  // within +-1 / sqrt(6)
  for (const double a : test::values(down)) EXPECT_LE(std::abs(a), 0.4083);
  EXPECT_GT(test::distance(down, Tensor::zeros(down.shape(), DType::kF64)), 0.1);
}

TEST(LowRank, ListsItsParametersByKind) {
  SmallLayer layer(true);
  add_low_rank(parameters_of(layer),
               {{"self_attn.v_proj.weight", 1}, {"self_attn.q_proj.weight", 1}}, {});
  std::vector<std::string> names;
  for (const auto& [name, p] : low_rank_parameters(parameters_of(layer))) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("self_attn.q_proj.lora_a.weight", "self_attn.v_proj.lora_a.weight",
                          "self_attn.q_proj.lora_b.weight", "self_attn.v_proj.lora_b.weight"));
}

TEST(LowRank, IsMergedIntoTheWeights) {
  SmallLayer layer(true);
  const auto parameters = parameters_of(layer);
  nn::bind(parameters);
  initialise(parameters, 1);
  add_low_rank(parameters, kSomeMaps, {.scale = 0.5});
  const Tensor flat = nn::bind(low_rank_parameters(parameters));
  for (int64_t i = 0; i < flat.size(); ++i) flat.data<float>()[i] = i % 7 - 3.0F;
  const Tensor x = test::random_tensor({5, 6}, 3, DType::kF32);
  const Tensor updated = layer(x, {});
  merge_low_rank(parameters);
  EXPECT_TRUE(low_rank_parameters(parameters).empty());
  EXPECT_LE(test::distance(updated, layer(x, {})), 1e-5);
}

TEST(LowRank, RefusesWhatIsNoLinearMapAndASecondUpdate) {
  SmallLayer layer(true);
  const auto update = [&](const std::string& name) {
    return [&layer, name] { add_low_rank(parameters_of(layer), {{name, 2}}, {}); };
  };
  EXPECT_THAT(test::message_of<OptionError>(update("self_attn.q_proj.bias")),
              HasSubstr("low-rank update: 'self_attn.q_proj.bias' is no linear map"));
  update("self_attn.q_proj.weight")();
  EXPECT_THAT(test::message_of<OptionError>(update("self_attn.q_proj.weight")),
              HasSubstr("has one already"));
}

}  // namespace
}  // namespace weft::nn
