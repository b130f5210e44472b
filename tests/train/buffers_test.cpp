// Complete trainings with running statistics, centroids and frozen parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "tests/train/small_training.h"

namespace weft::train {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(BatchNormInTraining, KeepsRunningStatisticsInTheModelFile) {
  const Scratch folder;
  TranslationOptions o = smaller(folder);
  test::set(o.model, "--norm-kind batch");
  o.optimizer.kind.select("adamw");
  train(o);
  model_file::TranslatorSession session =
      model_file::load<model_file::TranslatorSession>(o.loop.model);
  int64_t statistics = 0;
  for (const auto& [name, p] : nn::parameters_of(session.model)) {
    if (!p->is_buffer) continue;
    ++statistics;
    const float start = name.ends_with("running_var") ? 1 : 0;
    EXPECT_NE(p->value.data<float>()[0], start) << name;
  }
  EXPECT_EQ(statistics, 2 * (2 * 2 + 2 * 3));
}

TEST(BatchNormInTraining, CountsABatchOnceThoughRDropReadsItTwice) {
  const auto statistics = [](double r_drop) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    test::set(o.model, "--norm-kind batch");
    o.model.encoder.transformer.dropout = 0.1;
    o.objective.get<tasks::RDropOptions>().alpha = r_drop;
    o.schedule.learn_rate = 0;
    o.loop.after = options::Period::updates(1);
    train(o);
    model_file::TranslatorSession session =
        model_file::load<model_file::TranslatorSession>(o.loop.model);
    std::vector<Tensor> out;
    for (const auto& [name, p] : nn::parameters_of(session.model)) {
      if (p->is_buffer) out.push_back(p->value.clone());
    }
    return out;
  };
  const std::vector<Tensor> once = statistics(0), twice = statistics(1);
  ASSERT_GT(once.size(), 0u);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_TRUE(test::same_bits(once[i], twice[i])) << i;
}

struct Outcome {
  std::string name;
  bool is_buffer, is_as_it_started;
};

// What training makes of each parameter.
std::vector<Outcome> outcomes(const TranslationOptions& o) {
  train(o);
  model_file::TranslatorSession after =
      model_file::load<model_file::TranslatorSession>(o.loop.model);
  model_file::TranslatorSession before =
      model_file::new_translator(o.model, after.tokenisers, o.loop.seed);
  const auto mine = nn::parameters_of(after.model), start = nn::parameters_of(before.model);
  std::vector<Outcome> out;
  for (size_t i = 0; i < mine.size(); ++i) {
    out.push_back({mine[i].name, mine[i].parameter->is_buffer,
                   test::same_bits(mine[i].parameter->value, start[i].parameter->value)});
  }
  return out;
}

TEST(ClustersInTraining, MoveTheirCentroidsButNoHashes) {
  for (const bool by_hash : {false, true}) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    test::set(o.model, "--attention clustered --attention-clusters 2");
    if (by_hash) test::set(o.model, "--attention-clustering hash");
    o.optimizer.kind.select("adamw");  // weight decay must not change them
    o.optimizer.exponential_smoothing = 0.01;
    int64_t found = 0;
    for (const Outcome& p : outcomes(o)) {
      if (!p.is_buffer) continue;
      ++found;
      EXPECT_EQ(p.is_as_it_started, by_hash) << p.name;
    }
    EXPECT_EQ(found, 4);
  }
}

// The first of two ranks; the other one does not communicate.
class FirstOfTwo final : public SingleProcess {
 public:
  int size() const override { return 2; }
};

TEST(Statistics, OfWholeBatchesAreForOneRank) {
  const Scratch folder;
  TranslationOptions o = smaller(folder);
  test::set(o.model, "--norm-kind batch");
  const auto make = [&] { Trainer(task_of(o), std::make_shared<FirstOfTwo>()); };
  EXPECT_THAT(
      make, ThrowsMessage<OptionError>(HasSubstr("--norm-kind: batch norm needs the statistics")));
  test::set(o.model, "--norm-kind layer --attention clustered --attention-clusters 2");
  EXPECT_THAT(make, ThrowsMessage<OptionError>(
                        HasSubstr("--attention-clustering: centroids need the statistics")));
}

TEST(Freeze, KeepsFrozenParametersBitIdentical) {
  const Scratch folder;
  TranslationOptions o = smaller(folder);
  o.optimizer.kind.select("adamw");
  o.optimizer.exponential_smoothing = 0.1;
  o.loop.save_freq = options::Period::updates(1);
  o.loop.average_checkpoints = 3;
  o.loop.freeze = {"model.encoder.*", "*final_layer_norm*"};
  int64_t frozen = 0;
  for (const Outcome& p : outcomes(o)) {
    const bool is_frozen = p.name.starts_with("model.encoder.") ||
                           p.name.find("final_layer_norm") != std::string::npos;
    EXPECT_EQ(p.is_as_it_started, is_frozen) << p.name;
    frozen += is_frozen;
  }
  EXPECT_GT(frozen, 20);
}

TEST(Freeze, KeepsRunningStatistics) {
  const std::function<void(TranslationOptions&)> all[] = {
      [](auto& o) { test::set(o.model, "--norm-kind batch"); },
      [](auto& o) { test::set(o.model, "--attention clustered --attention-clusters 2"); }};
  for (const auto& change : all) {
    const Scratch folder;
    TranslationOptions o = smaller(folder);
    change(o);
    o.loop.freeze = {"model.encoder.*"};
    int64_t frozen = 0;
    for (const Outcome& p : outcomes(o)) {
      if (!p.is_buffer) continue;
      const bool is_frozen = p.name.starts_with("model.encoder.");
      EXPECT_EQ(p.is_as_it_started, is_frozen) << p.name;
      frozen += is_frozen;
    }
    EXPECT_GT(frozen, 0);
  }
}

TEST(Freeze, ExcludesFrozenParametersFromTheNorm) {
  const Scratch all, some;
  TranslationOptions o = smaller(some);
  o.loop.freeze = {"model.*"};
  const double whole = reports_of(smaller(all)).front().gradient_norm;
  EXPECT_LT(reports_of(o).front().gradient_norm, 0.9 * whole);
}

}  // namespace
}  // namespace weft::train
