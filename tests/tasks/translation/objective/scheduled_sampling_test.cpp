#include "weft/tasks/translation/objective/scheduled_sampling.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/options.h"
#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/reduce.h"

namespace weft::tasks {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

ScheduledSamplingOptions options(const char* kind, double rate, double floor = 0) {
  ScheduledSamplingOptions o;
  test::set(o, fmt::format("--scheduled-sampling {} --scheduled-sampling-rate {} "
                           "--scheduled-sampling-floor {}",
                           kind, rate, floor));
  return o;
}

TEST(ScheduledSampling, DecreasesTheFractionOfTrueTargets) {
  const ScheduledSampling linear(options("linear", 0.01, 0.25));
  EXPECT_DOUBLE_EQ(linear.true_fraction(0), 1);
  EXPECT_DOUBLE_EQ(linear.true_fraction(30), 0.7);
  EXPECT_DOUBLE_EQ(linear.true_fraction(1000), 0.25);
  const ScheduledSampling exponential(options("exponential", 0.9));
  EXPECT_DOUBLE_EQ(exponential.true_fraction(0), 1);
  EXPECT_NEAR(exponential.true_fraction(10), std::pow(0.9, 10), 1e-15);
  const ScheduledSampling sigmoid(options("inverse-sigmoid", 20));
  EXPECT_NEAR(sigmoid.true_fraction(0), 20.0 / 21, 1e-15);
  EXPECT_NEAR(sigmoid.true_fraction(60), 20 / (20 + std::exp(3)), 1e-15);
}

TEST(ScheduledSampling, RefusesRatesInvalidForTheKind) {
  const auto expect = [](const ScheduledSamplingOptions& o, const char* message) {
    EXPECT_THAT([&] { o.validate(); }, ThrowsMessage<OptionError>(HasSubstr(message)));
  };
  expect(options("linear", 1.5), "expected more than 0, below 1");
  expect(options("linear", 0), "expected more than 0, below 1");
  expect(options("exponential", 1), "expected more than 0, below 1");
  expect(options("inverse-sigmoid", 0.5), "expected 1 or more");
  for (const char* option : {"--scheduled-sampling-rate", "--scheduled-sampling-floor"}) {
    ScheduledSamplingOptions o;
    test::set(o, fmt::format("{} 0.5", option));
    EXPECT_THAT([&] { options::check_scopes(o); },
                ThrowsMessage<OptionError>(HasSubstr(
                    fmt::format("{}: belongs to --scheduled-sampling linear, exponential or "
                                "inverse-sigmoid; got it with none",
                                option))));
  }
}

class Passes : public testing::Test {
 protected:
  Passes() {
    models::Seq2SeqOptions o;
    o.encoder.enc_depth = o.decoder.dec_depth = 1;
    o.encoder.dim_emb = 8;
    o.encoder.transformer.attention.heads = 2;
    o.encoder.transformer.feed_forward.inner = 8;
    model_ = models::Seq2Seq(o, {.source_vocab = 9, .target_vocab = 9, .begin_id = 1, .end_id = 0});
    const auto named = nn::parameters_of(model_);
    nn::bind(named);
    nn::initialise(named, 3);
    for (int32_t b = 0; b < 6; ++b) {
      for (data::Tokens* field : {&source_, &target_}) {
        std::vector<int32_t> ids;
        for (int32_t t = 0; t < 2 + b % 4; ++t) ids.push_back(2 + (b + 3 * t) % 7);
        field->add(ids, 0);
      }
    }
    batch_.fields = {source_, target_};
    batch_.examples.resize(6);
  }
  // Without dropout, so that only the fraction of true targets matters.
  Tensor states(const ScheduledSampling& sampling, int64_t update, uint32_t seed,
                const data::Batch& batch) const {
    nn::Context context{.key = {seed, static_cast<uint32_t>(update)}};
    return sampling.states(model_, batch, update, context);
  }

  models::Seq2Seq model_;
  data::Tokens source_, target_;
  data::Batch batch_;
};

TEST_F(Passes, WithTrueTargetsOnlyEqualTheModels) {
  nn::Context context;
  const Tensor plain = model_.states(batch_, context);
  const ScheduledSampling sampling(options("exponential", 0.5));
  EXPECT_TRUE(test::same_bits(states(sampling, 0, 1, batch_), plain));
  EXPECT_GT(test::distance(states(sampling, 50, 1, batch_), plain), 1e-3);
}

TEST_F(Passes, AreAFunctionOfSeedUpdateAndSentence) {
  const ScheduledSampling sampling(options("linear", 0.005));
  const Tensor first = states(sampling, 100, 1, batch_);
  EXPECT_TRUE(test::same_bits(states(sampling, 100, 1, batch_), first));
  EXPECT_FALSE(test::same_bits(states(sampling, 100, 2, batch_), first));
  // The same sentences in another split of the update.
  const Tensor part = states(sampling, 100, 1, data::slice(batch_, 2, 5));
  const Segments& targets = batch_.target().segments;
  const int64_t begin = targets.begin(2), end = targets.end(4);
  EXPECT_LT(test::distance(part, first.row_range(begin, end)), 1e-5);
}

TEST_F(Passes, ReadPredictionsAtTheExpectedRate) {
  // All sentences repeat one target token, which is not the predicted one.
  data::Batch batch;
  data::Tokens one_source, one_target;
  one_source.add(std::vector<int32_t>{3}, 0);
  one_target.add(std::vector<int32_t>{4}, 0);
  batch.fields = {one_source, one_target};
  batch.examples.resize(1);
  nn::Context context;
  const Tensor logits = model_.decoder.logits(model_.states(batch, context), context);
  int32_t best[2];
  backend_of(logits)(kernels::RowArgmax{.x = logits, .index = best});
  constexpr int kSentences = 2000;
  batch.fields = {data::Tokens(), data::Tokens()};
  for (int b = 0; b < kSentences; ++b) {
    batch.tokens(0).add(std::vector<int32_t>{3}, 0);
    batch.tokens(1).add(std::vector<int32_t>{best[0] == 4 ? 5 : 4}, 0);
  }
  batch.examples.resize(kSentences);
  const Tensor plain = model_.states(batch, context);
  for (const int64_t update : {40, 100, 160}) {
    const Tensor read = states(ScheduledSampling(options("linear", 0.005)), update, 1, batch);
    int changed = 0;
    for (int64_t b = 0; b < kSentences; ++b) {
      const int64_t n = 2 * b + 1;
      changed += test::same_bits(read.row_range(n, n + 1), plain.row_range(n, n + 1)) ? 0 : 1;
    }
    EXPECT_NEAR(changed / double{kSentences}, 0.005 * static_cast<double>(update), 0.04);
  }
}

TEST_F(Passes, ReadOnlyPredictionsAtTheEnd) {
  const ScheduledSampling sampling(options("exponential", 1e-9));
  nn::Context plain;
  const Tensor first = model_.states(batch_, plain);
  nn::Context scoring;
  const Tensor logits = model_.decoder.logits(first, scoring);
  std::vector<int32_t> best(static_cast<size_t>(logits.rows()));
  backend_of(logits)(kernels::RowArgmax{.x = logits, .index = best.data()});
  std::vector<int32_t> inputs = models::shift_right(batch_.target(), 1);
  for (size_t b = 0; b < 6; ++b) {
    for (int32_t i = target_.segments.begin(b) + 1; i < target_.segments.end(b); ++i) {
      inputs[static_cast<size_t>(i)] = best[static_cast<size_t>(i) - 1];
    }
  }
  nn::Context again;
  const nn::Memory memory = model_.encode(source_, again);
  const Tensor expected = model_.decoder.forward(
      {ops::make_ids(inputs), ops::make_layout(target_.segments)}, memory, again);
  EXPECT_TRUE(test::same_bits(states(sampling, 100, 1, batch_), expected));
}

}  // namespace
}  // namespace weft::tasks
