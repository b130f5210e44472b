#include "weft/nn/transformer/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using Order = std::vector<size_t>;

TEST(LayerOrder, SaysWhichWeightsEachLayerHas) {
  EXPECT_EQ(layer_order({.depth = 3}), (Order{0, 1, 2}));
  EXPECT_EQ(layer_order({.depth = 3, .tied_layers = {1}}), (Order{0, 0, 0}));
  EXPECT_EQ(layer_order({.depth = 4, .tied_layers = {1, 1, 3, 3}}), (Order{0, 0, 1, 1}));
  EXPECT_EQ(layer_order({.depth = 4, .tied_layers = {1, 2, 1, 2}}), (Order{0, 1, 0, 1}));
}

TEST(LayerOrder, RefusesTiesThatMakeNoSense) {
  const auto order = [](std::vector<int64_t> ties) { layer_order({3, std::move(ties), 0}); };
  EXPECT_THAT(
      [&] {
        order({1, 2});
      },
      ThrowsMessage<OptionError>(
          HasSubstr("expected a number for each of 3 layers, or one for all; got 2")));
  EXPECT_THAT(
      [&] {
        order({1, 3, 3});
      },
      ThrowsMessage<OptionError>(HasSubstr("layer 2 cannot have the weights of 3")));
  EXPECT_THAT(
      [&] {
        order({1, 1, 2});
      },
      ThrowsMessage<OptionError>(HasSubstr("layer 3 cannot have the weights of 2")));
  EXPECT_THAT([&] { order({2}); }, ThrowsMessage<OptionError>(HasSubstr("layer 1 cannot")));
}

TEST(Stack, KeepsTiedWeightsOnce) {
  LayerOptions layer;
  layer.attention.features = 8;
  layer.attention.heads = 1;
  Encoder free({3, {}, 0}, layer), tied({3, {1, 2, 1}, 0}, layer);
  EXPECT_EQ(free.layers.size(), 3u);
  EXPECT_EQ(tied.layers.size(), 2u);
  EXPECT_EQ(tied.order, (Order{0, 1, 0}));
}

TEST(Stack, DropsDeeperLayersMoreOften) {
  const Encoder stack({4, {}, 0.2}, LayerOptions());
  EXPECT_DOUBLE_EQ(stack.drop_path_at(0), 0.05);
  EXPECT_DOUBLE_EQ(stack.drop_path_at(3), 0.2);
}

}  // namespace
}  // namespace weft::nn
