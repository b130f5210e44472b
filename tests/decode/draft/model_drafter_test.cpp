#include "weft/decode/draft/model_drafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/draft/drafted_requests.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"
#include "weft/decode/step_models.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

using testing::HasSubstr;

ModelDrafter drafter_of(const models::Seq2Seq& small, const StepModel& verifying) {
  return {step_model(small), verifying.traits(), 0.1};
}

class ModelDrafterPrecision : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(, ModelDrafterPrecision,
                         testing::Values(DType::kF32, DType::kBF16, DType::kI8),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(ModelDrafterPrecision, LeavesResultsAsTheyAre) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  const models::Seq2Seq model = packed_model(small_options(), GetParam());
  DecoderSteps steps = decoder_steps(model);
  models::Seq2SeqOptions few = small_options();
  few.decoder.dec_depth = 1;
  test::set(few, "--position learned");
  few.encoder.position.max_positions = 14;  // too few for some requests
  const models::Seq2Seq small = small_model(few),
                        rounded = packed_model(small_options(), DType::kI8);
  std::vector<Request> requests = requests_to_draft(30);
  const std::vector<NBest> expected = plain_results(steps, requests);
  for (const models::Seq2Seq* drafting : {&small, &rounded}) {
    for (const int64_t slots : {1, 5, 40}) {
      ModelDrafter drafter = drafter_of(*drafting, steps);
      const Log log =
          run_staggered(steps, requests, {.slots = slots, .prefill_share = 0, .drafter = &drafter});
      EXPECT_GT(expect_results(log, expected).drafted, 10);
    }
  }
}

// With the same random numbers.
TEST_P(ModelDrafterPrecision, OfTheVerifyingModelItselfAreAllRight) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  const models::Seq2Seq model = packed_model(small_options(), GetParam());
  DecoderSteps steps = decoder_steps(model);
  std::vector<Request> requests = requests_to_draft(30);
  const std::vector<NBest> expected = plain_results(steps, requests);
  for (const int64_t slots : {1, 5, 40}) {
    ModelDrafter drafter = drafter_of(model, steps);
    const Log log = run_staggered(steps, requests, {.slots = slots, .drafter = &drafter});
    const DraftCounts counts = expect_results(log, expected);
    EXPECT_GT(counts.drafted, 15);
    EXPECT_EQ(counts.accepted, counts.drafted);
  }
}

TEST(ModelDrafter, ReadsWhatItHasNotReadInPartsOfBoundedLength) {
  class Watched : public PrefixModel {
   public:
    Watched(int64_t& most_rows) : PrefixModel(20, 3), most_rows_(&most_rows) {}
    Tensor prefill(const PromptRows& prompts) override {
      *most_rows_ = std::max<int64_t>(*most_rows_, prompts.segments.rows());
      return PrefixModel::prefill(prompts);
    }

   private:
    int64_t* most_rows_;
  };
  int64_t most_rows = 0;
  PrefixModel model(20, 3);
  ModelDrafter drafter(std::make_unique<Watched>(most_rows), model.traits(), 0.1);
  Request request = small_request(4, 1, 60);
  request.prompt.resize(700, 5);
  request.forbidden = {kModelEnd};
  Engine engine(model, {.slots = 1, .prefill_share = 0, .drafter = &drafter});
  engine.submit(request);
  Log log;
  log.run(engine);
  const Hypothesis& found = log.finished.at(0).hypotheses.front();
  EXPECT_EQ(most_rows, 256);
  EXPECT_GT(found.drafts.drafted, 40);
  EXPECT_EQ(found.drafts.accepted, found.drafts.drafted);
}

// The rows of a draft that was wrong.
TEST(ModelDrafter, DropsWhatTheTargetDoesNotHold) {
  const PrefixModel model(20, 3);
  const Request request = small_request(4, 1, 60);
  const NewRequest begun[] = {{0, &request}};
  Beam beam(request.beam, {.ids = {}, .limit = request.length_limit}, request.constraints);
  const DraftTask tasks[] = {{0, &request, &beam, 5}};
  const auto new_drafter = [&] {
    ModelDrafter out(std::make_unique<PrefixModel>(20, 3), model.traits(), 0.1);
    out.begin(begun);
    return out;
  };
  ModelDrafter drafter = new_drafter();
  std::vector<int32_t> drafted = drafter.draft(tasks).front();
  for (const size_t right : {3, 0, 1}) {
    ASSERT_EQ(drafted.size(), 5u);
    for (size_t i = 0; i < right; ++i) beam.force(drafted[i], -1, {});
    beam.force(drafted[right] == 9 ? 8 : 9, -1, {});
    drafted = drafter.draft(tasks).front();
    EXPECT_EQ(drafted, new_drafter().draft(tasks).front());
  }
}

TEST(ModelDrafter, RefusesAModelThatCannotDraftForTheOther) {
  const models::Seq2Seq model = small_model(small_options());
  const DecoderSteps steps = decoder_steps(model);
  const auto message = [&](std::unique_ptr<StepModel> small) {
    return test::message_of<OptionError>(
        [&] { ModelDrafter(std::move(small), steps.traits(), 0.1); });
  };
  models::Seq2SeqOptions recurrent;
  test::set(recurrent, "--type rnn --enc-depth 1 --dec-depth 1 --dim-emb 32");
  const models::Seq2Seq with_states = small_model(recurrent);
  EXPECT_THAT(message(step_model(with_states)), HasSubstr("the small model keeps states"));
  EXPECT_EQ(message(std::make_unique<PrefixModel>(50, 3)),
            "--draft: the source vocabulary of the small model is 1000; expected 50");
}

TEST(ModelDrafter, CostsItsShareOfWeights) {
  models::Seq2SeqOptions half = small_options();
  half.decoder.dec_depth = 1;
  const models::Seq2Seq large = small_model(small_options()), small = small_model(half);
  EXPECT_EQ(relative_cost(large.decoder, large.decoder), 1);
  EXPECT_GT(relative_cost(small.decoder, large.decoder), 0.5);
  EXPECT_LT(relative_cost(small.decoder, large.decoder), 0.8);
}

}  // namespace
}  // namespace weft::decode
