#include "weft/train/schedule/length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/captured_log.h"
#include "tests/train/small_training.h"

namespace weft::train {
namespace {

using testing::HasSubstr;

// `examples` examples of `rows` rows. Those of the second half count twice.
class Examples : public data::Dataset {
 public:
  Examples(int64_t examples, int64_t rows) : examples_(examples), rows_(rows) {}
  int64_t size() const override { return examples_; }
  data::Cost cost(int64_t) const override { return {.rows = rows_}; }
  data::Batch batch(std::span<const int64_t>) const override { return {}; }
  uint64_t fingerprint() const override { return 0; }
  std::vector<data::Part> parts() const override {
    return {{0, examples_ / 2, 1}, {examples_ / 2, examples_, 2}};
  }

 private:
  int64_t examples_, rows_;
};

int64_t planned(const options::Period& after, const data::BatchOptions& batching,
                int64_t delay = 1) {
  LoopOptions loop;
  loop.after = after;
  loop.optimizer_delay = delay;
  return planned_updates(loop, batching, Examples(100, 8), 1200);
}

TEST(PlannedUpdates, FollowFromTheLengthAndTheBatches) {
  const data::BatchOptions words{.mini_batch_words = 120, .mini_batch = 0};  // 10 batches an epoch
  EXPECT_EQ(planned(options::Period::updates(7), words), 7);
  EXPECT_EQ(planned(options::Period::epochs(3), words), 30);
  EXPECT_EQ(planned(options::Period::epochs(3), words, 2), 15);
  EXPECT_EQ(planned(options::Period::targets(2400), words), 20);
  EXPECT_EQ(planned(options::Period::epochs(3), {.mini_batch_words = 0, .mini_batch = 30}), 15);
  EXPECT_EQ(planned(options::Period::epochs(3), {.mini_batch_words = 120, .mini_batch = 5}), 90);
  EXPECT_EQ(planned(options::Period::epochs(3), {.mini_batch_words = 100000, .mini_batch = 0}), 3);
}

TEST(Warmup, OfAShareFollowsTheLength) {
  ScheduleOptions options;
  EXPECT_EQ(options.for_length(60).warmup, options.warmup);
  options.warmup_ratio = 0.1;
  EXPECT_EQ(options.for_length(60).warmup, 6);
  EXPECT_EQ(options.for_length(60).warmup_ratio, 0);
}

// A training of 12 updates whose warm-up takes a share of them.
TranslationOptions with_ratio(const test::Scratch& folder, double ratio, int updates) {
  TranslationOptions o = small(folder);
  o.loop.after = options::Period::updates(updates);
  o.schedule.warmup = TranslationOptions().schedule.warmup;
  o.schedule.warmup_ratio = ratio;
  return o;
}

TEST(Warmup, IsAShareOfTheUpdatesThatAreAllowedWhenTrainingBegins) {
  const test::Scratch folder;
  const double peak = TranslationOptions().schedule.learn_rate;
  const std::vector<UpdateReport> first = reports_of(with_ratio(folder, 0.5, 8));
  EXPECT_DOUBLE_EQ(first[0].learn_rate, peak / 4);
  EXPECT_DOUBLE_EQ(first[3].learn_rate, peak);
  // A longer --after changes nothing of the schedule that was begun.
  const std::vector<UpdateReport> rest = reports_of(with_ratio(folder, 0.5, 16));
  ASSERT_EQ(rest.size(), 8);
  EXPECT_DOUBLE_EQ(rest.back().learn_rate, peak * std::sqrt(4.0 / 16));
}

TEST(Warmup, ThatCannotEndIsWarnedOf) {
  const test::Scratch folder;
  TranslationOptions o = small(folder);
  o.schedule.warmup = 4000;
  const test::CapturedLog log;
  train(o);
  EXPECT_THAT(
      log.warnings(),
      HasSubstr(
          "the learning rate warms up for 4000 updates, and training ends after about 12 (--after "
          "12u): it reaches 1.5e-06 of --learn-rate 0.0005; hint: --lr-warmup 1, or a longer "
          "--after"));
}

TEST(Warmup, ThatEndsIsNotWarnedOf) {
  const test::Scratch folder;
  const test::CapturedLog log;
  train(small(folder));
  EXPECT_EQ(log.warnings(), "");
}

TEST(Warmup, OfAShareContradictsOneInUpdates) {
  const test::Scratch folder;
  TranslationOptions o = small(folder);  // --lr-warmup 4
  o.schedule.warmup_ratio = 0.1;
  EXPECT_THAT(message_of(o), HasSubstr("--lr-warmup-ratio: contradicts --lr-warmup"));
}

}  // namespace
}  // namespace weft::train
