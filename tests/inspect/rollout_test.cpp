#include "weft/inspect/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/core/error.h"

namespace weft::inspect {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

Tensor matrix(std::initializer_list<float> values) {
  return Tensor::from(std::vector<float>(values), {2, 2});
}

TEST(Rollout, OfOneLayerIsHalfAttentionAndHalfIdentity) {
  const std::vector<Tensor> layers{matrix({0.2F, 0.8F, 0.6F, 0.4F})};
  const std::vector<Tensor> out = rollout(layers);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_THAT(out[0].span<float>(),
              ElementsAre(FloatEq(0.6F), FloatEq(0.4F), FloatEq(0.3F), FloatEq(0.7F)));
}

// (A_2 + I) / 2 (A_1 + I) / 2, by hand: the order of the factors matters.
TEST(Rollout, MultipliesLaterLayersFromTheLeft) {
  const std::vector<Tensor> layers{matrix({0, 1, 0, 1}), matrix({1, 0, 1, 0})};
  const std::vector<Tensor> out = rollout(layers);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_THAT(out[0].span<float>(), ElementsAre(0.5F, 0.5F, 0, 1));
  EXPECT_THAT(out[1].span<float>(), ElementsAre(0.5F, 0.5F, 0.25F, 0.75F));
}

TEST(Rollout, RefusesAttentionThatIsNotSquare) {
  const std::vector<Tensor> layers{Tensor::zeros({2, 3})};
  EXPECT_THROW(rollout(layers), ShapeError);
}

TEST(MeanOf, HeadsIsTheirMean) {
  const std::vector<Tensor> heads{matrix({0, 1, 0.5F, 0.5F}), matrix({1, 0, 0.25F, 0.75F})};
  EXPECT_THAT(mean_of(heads).span<float>(), ElementsAre(0.5F, 0.5F, 0.375F, 0.625F));
}

}  // namespace
}  // namespace weft::inspect
