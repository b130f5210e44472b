// Results with drafts are those without, to the bit.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/draft/drafted_requests.h"
#include "tests/decode/draft/scripted_drafter.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/decode/draft/ngram_drafter.h"
#include "weft/decode/step_models.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

using testing::HasSubstr;

void expect_the_same_with_drafts(StepModel& model, int64_t vocabulary) {
  std::vector<Request> requests = requests_to_draft(30);
  const std::vector<NBest> expected = plain_results(model, requests);
  for (const int64_t slots : {1, 5, 40}) {
    for (const Script script : {Script::kRight, Script::kWrong, Script::kMixed}) {
      SCOPED_TRACE(fmt::format("{} slots, script {}", slots, static_cast<int>(script)));
      ScriptedDrafter drafter(script, vocabulary);
      const Log log = run_staggered(
          model, requests,
          {.slots = slots, .prefill_share = 0, .prefill_rows = 4, .drafter = &drafter});
      EXPECT_GT(expect_results(log, expected).drafted, 10);
    }
  }
}

class DraftPrecision : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(, DraftPrecision, testing::Values(DType::kF32, DType::kBF16, DType::kI8),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(DraftPrecision, LeavesResultsAsTheyAre) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  int64_t models = 0;
  for (const ModelCase& c : model_cases()) {
    if (c.name != "rotary positions" && c.name != "learned positions" &&
        c.name != "local attention, one head of keys" && c.name != "clusters by centroids") {
      continue;
    }
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = packed_model(c.options, GetParam());
    DecoderSteps steps = decoder_steps(model);
    expect_the_same_with_drafts(steps, 50);
    ++models;
  }
  EXPECT_EQ(models, 4);
}

TEST(DraftedSteps, LeaveResultsOfAnEnsembleAsTheyAre) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  const models::Seq2Seq one = small_model(small_options());
  const models::Seq2Seq two = packed_model(small_options(), DType::kBF16);
  const auto model = step_model(std::array{&one, &two}, std::vector{0.7, 0.3});
  std::vector<Request> requests = requests_to_draft(20);
  for (Request& request : requests) request.beam.coverage_penalty = 0;
  const std::vector<NBest> expected = plain_results(*model, requests);
  ScriptedDrafter drafter(Script::kMixed, 50);
  const Log log = run_staggered(*model, requests, {.slots = 6, .drafter = &drafter});
  EXPECT_GT(expect_results(log, expected).accepted, 10);
}

TEST(DraftedSteps, CopyFromPromptsAndTargets) {
  const models::Seq2Seq model = small_model(small_options());
  DecoderSteps steps = decoder_steps(model);
  std::vector<Request> requests = requests_to_draft(20);
  const std::vector<NBest> expected = plain_results(steps, requests);
  for (const bool has_text : {false, true}) {
    for (Request& request : requests) {
      if (!has_text) request.draft_text.clear();
    }
    NgramDrafter drafter;
    const Log log = run_staggered(steps, requests, {.slots = 4, .drafter = &drafter});
    EXPECT_GT(expect_results(log, expected).accepted, 0);
  }
}

// Alone in an engine: passes over rows, and rows in them.
struct Passes {
  int64_t passes = 0, rows = 0, dropped = 0;
  DraftCounts counts = {};
};
Passes passes_of(const Request& request, Drafter* drafter) {
  PrefixModel model(30, 3);
  Engine engine(model, {.slots = 1, .prefill_share = 0, .drafter = drafter});
  engine.submit(request);
  Log log;
  Passes out;
  for (; !engine.is_idle(); ++out.passes) log.add(engine.step());
  PrefixModel clean(30, 3);
  EXPECT_TRUE(same_hypotheses(log.finished.at(0).hypotheses, alone(clean, request)));
  out.rows = model.rows + model.prompt_rows;
  out.dropped = model.dropped_rows;
  out.counts = counts_of(log);
  return out;
}

Request long_request() {
  Request out = small_request(4, 1, 200);
  out.forbidden = {kModelEnd};
  PrefixModel model(30, 3);
  out.draft_text = alone(model, out).front().tokens;
  return out;
}

TEST(DraftedSteps, TakeFewPassesWhereDraftsAreRight) {
  const Request request = long_request();
  EXPECT_EQ(passes_of(request, nullptr).passes, 200);
  ScriptedDrafter right(Script::kRight, 30);
  const Passes found = passes_of(request, &right);
  EXPECT_LE(found.passes, 24);
  EXPECT_EQ(found.rows, 200);
  EXPECT_EQ(found.dropped, 0);
  EXPECT_EQ(found.counts.drafted, 200 - found.passes);
  EXPECT_EQ(found.counts.accepted, found.counts.drafted);
}

TEST(DraftedSteps, DraftLittleWhereDraftsAreWrong) {
  ScriptedDrafter wrong(Script::kWrong, 30);
  const Passes found = passes_of(long_request(), &wrong);
  EXPECT_EQ(found.passes, 200);
  EXPECT_GT(found.counts.drafted, 5);
  EXPECT_LE(found.counts.drafted, 24);
  EXPECT_EQ(found.counts.accepted, 0);
  EXPECT_EQ(found.dropped, found.counts.drafted);
  EXPECT_EQ(found.rows, 200 + found.dropped);
}

TEST(DraftedSteps, StreamSeveralTokensAtATime) {
  PrefixModel model(30, 3);
  Request request = long_request();
  request.streams = true;
  ScriptedDrafter right(Script::kRight, 30);
  Engine engine(model, {.slots = 1, .prefill_share = 0, .drafter = &right});
  engine.submit(request);
  Log log;
  log.run(engine);
  const std::vector<int32_t>& result = log.finished.at(0).hypotheses.front().tokens;
  EXPECT_LE(log.stable_prefixes[0].size(), 24u);
  size_t before = 0;
  for (const Prefix& prefix : log.stable_prefixes[0]) {
    EXPECT_GT(prefix.size(), before);
    EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), result.begin()));
    before = prefix.size();
  }
}

// The first request fails where its target gets long; the others go on.
TEST(DraftedSteps, FailByThemselves) {
  for (const bool throws : {false, true}) {
    PrefixModel clean(30, 3);
    class Failing : public PrefixModel {
     public:
      Failing(bool throws_error) : PrefixModel(30, 3), throws_error_(throws_error) {}
      Tensor prefill(const PromptRows& prompts) override {
        Tensor scores = PrefixModel::prefill(prompts);
        if (++passes < 5 || prompts.slots.front() != 0) return scores;
        if (throws_error_) fail<Error>("test", "no memory");
        for (float& x : scores.row_range(0, 1).span<float>()) x = NAN;
        return scores;
      }
      int64_t passes = 0;

     private:
      bool throws_error_;
    } model(throws);
    ScriptedDrafter drafter(Script::kMixed, 30);
    Engine engine(model, {.slots = 2, .prefill_share = 0, .drafter = &drafter});
    const Request request = long_request();
    for (int i = 0; i < 3; ++i) engine.submit(request);
    Log log;
    for (int i = 0; i < 5; ++i) log.add(engine.step());
    model.passes = -1000;
    log.run(engine);
    EXPECT_THAT(log.error_of(0), HasSubstr(throws ? "no memory" : "not finite"));
    EXPECT_EQ(log.error_of(1), throws ? "test: no memory" : "");
    const NBest expected = alone(clean, request);
    EXPECT_TRUE(same_hypotheses(log.finished.at(2).hypotheses, expected));
    if (throws) continue;
    EXPECT_TRUE(same_hypotheses(log.finished.at(1).hypotheses, expected));
  }
}

TEST(DraftedSteps, NeedAModelThatCanDropRows) {
  for (const ModelCase& c : model_cases()) {
    const models::Seq2Seq model = small_model(c.options);
    DecoderSteps steps = decoder_steps(model);
    const bool has_states = c.options.type.is<models::RnnType>() ||
                            c.options.type.is<models::RnnAttentionType>() ||
                            c.options.type.is<models::CnnType>() ||
                            (c.name.find("inear attention") != c.name.npos &&
                             c.name.find("in the encoder") == c.name.npos) ||
                            c.name.find("average attention") != c.name.npos;
    EXPECT_EQ(steps.traits().can_drop_rows, !has_states) << c.name;
    if (!has_states) continue;
    NgramDrafter drafter;
    EXPECT_THAT(test::message_of<OptionError>([&] { Engine(steps, {.drafter = &drafter}); }),
                HasSubstr("expected one that keeps keys and values of each token"));
  }
}

}  // namespace
}  // namespace weft::decode
