#include "weft/train/layer_depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/train/parameter_ranges.h"

namespace weft::train {
namespace {

using testing::ElementsAre;

// An encoder of two layers, a decoder of one, a shared table and a head.
class Depths : public testing::Test {
 protected:
  Depths() { parameters_[0].is_embedding = true; }
  std::vector<nn::NamedParameter> named() {
    static constexpr const char* kNames[] = {"model.shared.weight",
                                             "model.encoder.layernorm_embedding.weight",
                                             "model.encoder.layers.0.fc1.weight",
                                             "model.encoder.layers.1.fc1.weight",
                                             "model.encoder.layer_norm.weight",
                                             "model.decoder.layers.0.fc1.weight",
                                             "classifier.weight"};
    std::vector<nn::NamedParameter> out;
    for (size_t i = 0; i < parameters_.size(); ++i) out.push_back({kNames[i], &parameters_[i]});
    return out;
  }
  std::vector<double> factors(const RangeOptions& options) {
    std::vector<double> out;
    for (const TrainedRange& one : parameter_ranges(named(), options).trained) {
      for (int64_t i = one.range.begin; i < one.range.end; ++i) out.push_back(one.rate_factor);
    }
    return out;
  }
  std::vector<bool> frozen(std::optional<int64_t> layers) {
    for (nn::Parameter& p : parameters_) p.is_frozen = false;
    freeze_layers(named(), layers);
    std::vector<bool> out;
    for (const nn::Parameter& p : parameters_) out.push_back(p.is_frozen);
    return out;
  }
  std::vector<nn::Parameter> parameters_{7, nn::Parameter({1, 1}, nn::Init::kOnes)};
};

TEST_F(Depths, CountLayersFromTheTopOfEachStack) {
  EXPECT_THAT(layer_depths(named()),
              ElementsAre(LayerDepth{"", 0, 3}, LayerDepth{"model.encoder", 2, 3},
                          LayerDepth{"model.encoder", 2, 2}, LayerDepth{"model.encoder", 2, 1},
                          LayerDepth{"model.encoder", 2, 1}, LayerDepth{"model.decoder", 1, 1},
                          LayerDepth{}));
}

TEST_F(Depths, GiveLowerLayersLowerRates) {
  EXPECT_THAT(factors({.layer_decay = 0.5}), ElementsAre(0.125, 0.125, 0.25, 0.5, 0.5, 0.5, 1));
}

TEST_F(Depths, GiveHeadsARateOfTheirOwn) {
  EXPECT_THAT(factors({.head_factor = 4}), ElementsAre(1, 1, 1, 1, 1, 1, 4));
  const std::vector<std::string> patterns = {"classifier.*=0.5", "*.encoder.layers.1.*=3"};
  EXPECT_THAT(factors({.rate_factors = patterns, .layer_decay = 0.5, .head_factor = 4}),
              ElementsAre(0.125, 0.125, 0.25, 1.5, 0.5, 0.5, 2));
}

TEST_F(Depths, FreezeTheFirstLayersAndWhatIsBelow) {
  EXPECT_THAT(frozen({}), ElementsAre(false, false, false, false, false, false, false));
  EXPECT_THAT(frozen(0), ElementsAre(true, true, false, false, false, false, false));
  EXPECT_THAT(frozen(1), ElementsAre(true, true, true, false, false, false, false));
  EXPECT_THAT(frozen(2), ElementsAre(true, true, true, true, true, false, false));
  EXPECT_EQ(test::message_of<OptionError>([&] { frozen(3); }),
            "--freeze-layers: expected at most 2, the layers of model.encoder, got 3");
}

TEST_F(Depths, RefuseToFreezeLayersOfAModelWithoutAny) {
  EXPECT_EQ(test::message_of<OptionError>([&] { freeze_layers({named().back()}, 1); }),
            "--freeze-layers: the model has no layers in a stack");
}

}  // namespace
}  // namespace weft::train
