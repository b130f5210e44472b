#include "weft/train/records/parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace weft::train {
namespace {

TEST(Parts, AreNamedUpToTheLayer) {
  EXPECT_EQ(part_name("model.encoder.layers.0.fc1.weight"), "model.encoder.layers.0");
  EXPECT_EQ(part_name("model.encoder.layers.11.norm.weight"), "model.encoder.layers.11");
  EXPECT_EQ(part_name("model.shared.weight"), "model.shared");
  EXPECT_EQ(part_name("lm_head.weight"), "lm_head");
  EXPECT_EQ(part_name("final_logits_bias"), "final_logits_bias");
  EXPECT_EQ(part_name("layer2.conv.weight"), "layer2.conv");
}

struct Module {
  std::vector<nn::Parameter> parameters;
  std::vector<nn::NamedParameter> named;

  explicit Module(const std::vector<std::string>& names) : parameters(names.size()) {
    for (size_t i = 0; i < names.size(); ++i) {
      parameters[i].shape = {1, 2};
      named.push_back({names[i], &parameters[i]});
    }
  }
};

TEST(Parts, GatherTrainedParameters) {
  Module module({"a.0.w", "a.0.b", "c.frozen", "a.0.v", "d.mean", "d.w"});
  module.parameters[2].is_frozen = true;
  module.parameters[4].is_buffer = true;
  const std::vector<Part> parts = parts_of(module.named);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "a.0");
  EXPECT_EQ(parts[0].ranges, (std::vector<Range>{{0, 4}, {6, 8}}));
  EXPECT_EQ(parts[1].name, "d");
  EXPECT_EQ(parts[1].ranges, (std::vector<Range>{{10, 12}}));
}

TEST(Parts, NormIsThatOfAllRanges) {
  const Tensor flat = Tensor::from(std::vector<float>{3, 100, 0, 4}, {1, 4});
  EXPECT_DOUBLE_EQ(norm_of({.name = "", .ranges = {{0, 1}, {2, 4}}}, flat), 5);
}

TEST(Parts, HistogramCountsEveryFiniteValue) {
  std::vector<float> values(129);
  std::iota(values.begin(), values.end(), -64.0F);  // to 64
  values.push_back(std::numeric_limits<float>::quiet_NaN());
  values.push_back(std::numeric_limits<float>::infinity());
  const auto size = static_cast<int64_t>(values.size());
  const Histogram h =
      histogram_of({.name = "", .ranges = {{0, size}}}, Tensor::from(values, {1, size}));
  EXPECT_EQ(h.count, 129);
  EXPECT_EQ(h.min, -64);
  EXPECT_EQ(h.max, 64);
  EXPECT_EQ(h.sum, 0);
  EXPECT_EQ(h.sum_of_squares, 2 * 64.0 * 65 * 129 / 6);
  ASSERT_EQ(h.limits.size(), 64u);
  ASSERT_EQ(h.counts.size(), 64u);
  EXPECT_EQ(h.limits.front(), -62);
  EXPECT_EQ(h.limits.back(), 64);
  for (size_t i = 0; i < 63; ++i) EXPECT_EQ(h.counts[i], 2) << i;
  EXPECT_EQ(h.counts.back(), 3);  // with the largest
}

TEST(Parts, HistogramOfEqualValuesHasOneBin) {
  const Part part{.name = "", .ranges = {{0, 3}}};
  const Histogram h = histogram_of(part, Tensor::full({1, 3}, 2));
  EXPECT_EQ(h.counts, std::vector<double>{3});
  EXPECT_EQ(h.limits, std::vector<double>{2});
  EXPECT_EQ(histogram_of(part, Tensor::full({1, 3}, NAN)).count, 0);
}

}  // namespace
}  // namespace weft::train
