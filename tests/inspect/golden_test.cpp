// Attention, ablation and what the JSON keeps of them, against PyTorch's nn.Transformer. The
// numbers are written by tools/golden/seq2seq.py.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/inspect/read_matrices.h"
#include "tests/models/seq2seq_golden.h"
#include "weft/inspect/ablation.h"
#include "weft/inspect/matrix_json.h"
#include "weft/inspect/trace_maps.h"

namespace weft::inspect {
namespace {

class InspectedGolden : public models::Seq2SeqGolden {
 protected:
  std::string key(const std::string& stack, int64_t layer, nn::AttentionRole role) const {
    return fmt::format("{}.{}.{}", stack, layer,
                       role == nn::AttentionRole::kSelf ? "self" : "cross");
  }
};

TEST_P(InspectedGolden, EveryHeadAttendsAsInPyTorch) {
  nn::AttentionTrace trace;
  nn::Context context;
  context.observer = &trace;
  model_.states(batch(), context);
  for (int64_t example = 0; example < 3; ++example) {
    const auto maps = maps_of(trace, example, [](const nn::AttentionKey&) { return MapAxes{}; });
    ASSERT_EQ(maps.size(), 6u);
    for (const AttentionMaps& layer : maps) {
      const std::string name =
          fmt::format("attention.{}.{}", key(layer.stack, layer.layer, layer.role), example);
      const Tensor expected = file_.tensor(name);  // [H, T, S]
      const auto json = matrices_json(layer.heads);
      ASSERT_EQ(json["shape"], (std::vector<int64_t>{expected.shape()[0], expected.shape()[1],
                                                     expected.shape()[2]}));
      const std::vector<double> shown = test::read_matrices(json);
      for (size_t i = 0; i < shown.size(); ++i) {
        const size_t size = static_cast<size_t>(layer.heads[0].size());
        EXPECT_NEAR(layer.heads[i / size].span<float>()[i % size], expected.data<float>()[i], 1e-6)
            << name;
        EXPECT_NEAR(shown[i], expected.data<float>()[i], 1e-4) << name;
      }
    }
  }
}

TEST_P(InspectedGolden, EveryHeadCostsAsInPyTorch) {
  const auto loss = [&] {
    const data::Batch pairs = batch();
    const double weight = 1 / static_cast<double>(pairs.target().rows());
    return model_.loss(pairs, {.smoothing = 0.1, .weight = weight}, {}).value.item();
  };
  const Ablation found = ablate(attentions_of(model_), loss);
  ASSERT_EQ(found.heads.size(), 12u);
  for (const HeadLoss& head : found.heads) {
    const Tensor expected = file_.tensor("ablation." + key(head.stack, head.layer, head.role));
    EXPECT_NEAR(head.loss, expected.data<float>()[head.head], 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, InspectedGolden, models::golden_files(), models::golden_name);

}  // namespace
}  // namespace weft::inspect
