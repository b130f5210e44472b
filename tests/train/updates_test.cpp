// Single updates, and options that do not change them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/tensors.h"
#include "tests/train/small_training.h"

namespace weft::train {
namespace {

Tensor saved(const Scratch& folder, const std::string& name) {
  return formats::SafetensorsFile(folder.path(test::kToyState)).tensor(name).clone();
}

// Dropout depends on a sentence's position in the update, not on the split into batches.
TEST(Update, DropoutDependsOnSentenceAndUpdate) {
  const auto run = [](int64_t sentences, int64_t delay, int64_t updates) {
    const Scratch folder;
    TranslationOptions o = small(folder);
    std::string source, target;  // all equal, so that their order does not matter
    for (int i = 0; i < 20; ++i) source += "w1 w2 w3 w4\n", target += "w4 w3 w2 w1\n";
    o.data.train_sets = {folder.file("train.src", source), folder.file("train.trg", target)};
    o.batching.mini_batch_words = 100000, o.batching.mini_batch = sentences;
    o.loop.optimizer_delay = delay, o.loop.precision = "float32";
    o.loop.after = options::Period::updates(updates);
    o.model.encoder.transformer.dropout = 0.3, o.schedule.learn_rate = 0;
    std::vector<UpdateReport> reports;
    train(o, &reports);
    return reports;
  };
  const auto whole = run(20, 1, 2), parts = run(5, 4, 1);
  EXPECT_NEAR(whole[0].loss, parts[0].loss, 1e-5);
  EXPECT_NEAR(whole[0].gradient_norm, parts[0].gradient_norm, 1e-5 * whole[0].gradient_norm);
  EXPECT_NE(whole[0].gradient_norm, whole[1].gradient_norm);  // other masks
}

TEST(Update, ClipsGradients) {
  struct Norms {
    double told, taken;
  };
  const auto norms_with = [](double limit) {
    const Scratch folder;
    TranslationOptions o = small(folder);
    o.optimizer.clip_norm = limit;
    o.loop.after = options::Period::updates(1);
    std::vector<UpdateReport> reports;
    train(o, &reports);
    const Tensor m = saved(folder, "adam.first");  // (1 - 0.9) of the gradient
    return Norms{reports[0].gradient_norm, std::sqrt(sum_of_squares(m)) / (1 - 0.9)};
  };
  const Norms free = norms_with(0);
  EXPECT_NEAR(free.taken, free.told, 1e-4 * free.told);
  EXPECT_NEAR(norms_with(2 * free.told).taken, free.told, 1e-4 * free.told);
  const Norms cut = norms_with(free.told / 2);
  EXPECT_NEAR(cut.told, free.told, 1e-6 * free.told);  // before it is cut
  EXPECT_NEAR(cut.taken, free.told / 2, 1e-4 * free.told);
}

// A single process for which every third loss is NaN.
class LosingGroup final : public SingleProcess {
 public:
  double sum(double x) override {  // any() calls sum(0)
    return x != 0 && ++losses_ % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : x;
  }

 private:
  int losses_ = 0;
};

TEST(Update, WithANonFiniteLossIsSkipped) {
  const Scratch folder;
  TranslationOptions o = small(folder);
  o.loop.max_skipped = 1;
  const std::atomic<bool> stop{false};
  std::vector<UpdateReport> reports;
  EXPECT_EQ(Trainer(task_of(o), std::make_shared<LosingGroup>())
                .run(stop, [&](const UpdateReport& report) { reports.push_back(report); }),
            Ending::kFinished);
  ASSERT_EQ(reports.size(), 12u);
  EXPECT_EQ(reports.back().skipped, 4);
  for (const UpdateReport& report : reports) EXPECT_TRUE(std::isfinite(report.loss));
  const formats::SafetensorsFile file(folder.path(test::kToyState));
  const auto state =
      options::options_from_json<State>(file.metadata().at("weft.training-state"), "state");
  EXPECT_EQ(state.optimizer_steps, 8);
  EXPECT_EQ(state.skipped_in_row, 1);  // the twelfth
}

TEST(Update, DoesNotDependOnReportsAndValidation) {
  const auto learned = [](const auto& change) {
    const Scratch folder;
    TranslationOptions o = small(folder);
    o.optimizer.exponential_smoothing = 0.1;
    change(o);
    train(o);
    std::vector<Tensor> out;
    for (const char* name : {"weights", "adam.first", "adam.second", "average"}) {
      out.push_back(saved(folder, name));
    }
    return out;
  };
  const auto plain = learned([](TranslationOptions&) {});
  const auto looking = learned([](TranslationOptions& o) {
    o.validation.valid_sets = o.data.train_sets;
    o.validation.valid_metrics = {"cross-entropy", "bleu"};
    o.validation.valid_freq = options::Period::updates(3);
    o.loop.save_freq = options::Period::updates(4);
    o.loop.disp_freq = options::Period::updates(5);
    o.loop.average_checkpoints = 2;
  });
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(test::same_bits(plain[i], looking[i])) << i;
  }
}

TEST(AverageCheckpoints, SavesTheMeanOfTheLastSaves) {
  const auto published = [](int64_t updates, int64_t averaged) {
    const Scratch folder;
    TranslationOptions o = small(folder);
    o.loop.after = options::Period::updates(updates);
    o.loop.save_freq = options::Period::updates(1);
    o.loop.average_checkpoints = averaged;
    train(o);
    return model_file::load<model_file::TranslatorSession>(o.loop.model).parameters.clone();
  };
  const Tensor second = published(2, 1), third = published(3, 1), mean = published(3, 2);
  for (int64_t i = 0; i < mean.size(); ++i) {
    const double sum = double{second.data<float>()[i]} + double{third.data<float>()[i]};
    ASSERT_EQ(mean.data<float>()[i], static_cast<float>(sum / 2)) << i;
  }
}

}  // namespace
}  // namespace weft::train
