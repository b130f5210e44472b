// Prompts of an engine's requests: in parts, shared, scored; and parked requests.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/engine_log.h"
#include "tests/decode/mixed_requests.h"
#include "weft/decode/draft/ngram_drafter.h"
#include "weft/decode/step_models.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;

// Prompts that begin alike, of a few sources, some with a prefix.
std::vector<Request> requests_with_prompts() {
  std::vector<Request> out;
  for (int32_t i = 0; i < 12; ++i) {
    Request r{.source = {5, 7 + i % 2, kEnd}, .beam = {.size = 3, .n_best = 3}, .length_limit = 9};
    r.prompt = {kBegin, 9, 8, 7, 6, 5};
    r.prompt.resize(static_cast<size_t>(2 + i % 5));
    for (int32_t t = 0; t < i; ++t) r.prompt.push_back(10 + t);
    if (i % 4 == 3) r.prefix = {20, 21, 22};
    if (i % 4 == 2) r.sampling = Sampling{.chain = {TopK{5}}, .stream = static_cast<uint64_t>(i)};
    out.push_back(std::move(r));
  }
  return out;
}

// However the prompts are divided, and with whatever other prompts they share their beginnings.
void expect_the_same_prompts(StepModel& model) {
  const std::vector<Request> requests = requests_with_prompts();
  std::vector<NBest> expected;
  for (const Request& request : requests) expected.push_back(alone(model, request));
  for (const int64_t rows : {1, 3, 7, 256}) {
    for (const int64_t slots : {2, 12}) {
      SCOPED_TRACE(fmt::format("{} rows, {} slots", rows, slots));
      Engine engine(model, {.slots = slots, .prefill_share = 0, .prefill_rows = rows});
      for (const Request& request : requests) engine.submit(request);
      Log log;
      log.run(engine);
      for (size_t r = 0; r < requests.size(); ++r) {
        const auto id = static_cast<RequestId>(r);
        EXPECT_EQ(log.error_of(id), "");
        EXPECT_TRUE(same_hypotheses(log.finished.at(id).hypotheses, expected[r])) << r;
      }
    }
  }
}

class EnginePrecision : public testing::TestWithParam<kernels::PackedType> {};
INSTANTIATE_TEST_SUITE_P(, EnginePrecision,
                         testing::Values(DType::kF32, DType::kBF16, DType::kI8,
                                         kernels::BlockType::kQ8_0, kernels::BlockType::kQ4_0),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(EnginePrecision, OfARequestDoesNotDependOnHowItsPromptIsPrefilled) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  for (const ModelCase& c : model_cases()) {
    if (c.name != "rotary positions" && c.name != "linear attention" &&
        c.name != "lstm with Luong's attention, fed back") {
      continue;
    }
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = packed_model(c.options, GetParam());
    DecoderSteps steps = decoder_steps(model);
    expect_the_same_prompts(steps);
    const auto ensemble = step_model(std::array{&model, &model}, std::vector{0.7, 0.3});
    expect_the_same_prompts(*ensemble);
  }
}

// As the same tokens where the search chooses them, with what they attend to.
TEST(Engine, ScoresTheTokensOfAPrefixAsThoseItChooses) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  std::vector<ModelCase> cases = {{"transformer", small_options()}};
  add_earlier_models(cases);
  for (const ModelCase& c : cases) {
    const models::Seq2Seq model = small_model(c.options);
    DecoderSteps steps = decoder_steps(model);
    Request request{.source = {5, 9, 17, kEnd}, .beam = {.size = 1}, .length_limit = 12};
    request.beam.coverage_penalty = model.has_attention() ? 0.3 : 0;
    request.forbidden = {kEnd};
    const NBest chosen = alone(steps, request);
    for (const size_t length : {1, 5, 12}) {
      request.prefix = chosen[0].tokens;
      request.prefix.resize(length);
      EXPECT_TRUE(same_hypotheses(alone(steps, request), chosen)) << c.name << ", " << length;
    }
  }
}

TEST(Engine, SharesTheRowsOfPromptsThatBeginAlike) {
  const auto rows_of = [](const std::vector<Request>& requests, int64_t slots) {
    PrefixModel model(8, 3);
    Engine engine(model, {.slots = slots, .prefill_share = 0, .prefill_rows = 2});
    for (const Request& request : requests) engine.submit(request);
    Log log;
    log.run(engine);
    for (size_t r = 0; r < requests.size(); ++r) {
      PrefixModel clean(8, 3);
      EXPECT_TRUE(same_hypotheses(log.finished.at(static_cast<RequestId>(r)).hypotheses,
                                  alone(clean, requests[r])));
    }
    return std::pair(model.prompt_rows, model.shared_rows);
  };
  Request request = small_request(4);
  request.prompt = {2, 3, 4, 5, 6, 7};
  Request other = request, elsewhere = request, scored = request;
  other.prompt = {2, 3, 4, 7};
  elsewhere.source = {5};
  scored.prefix = {3};
  EXPECT_EQ(rows_of({request, request, other}, 3), std::pair(5l + 0 + 0, 5l + 3));
  EXPECT_EQ(rows_of({request, request, other}, 1), std::pair(5l + 5 + 3, 0l));
  EXPECT_EQ(rows_of({request, elsewhere}, 2), std::pair(5l + 5, 0l));
  EXPECT_EQ(rows_of({request, scored}, 2), std::pair(5l + 6, 0l));
  EXPECT_EQ(rows_of({scored, request}, 2), std::pair(6l + 0, 5l));
}

TEST(Engine, ReadsThePromptOfSeveralSamplesOnce) {
  PrefixModel model(8, 3);
  Request request = small_request(4, 5);
  request.prompt = {2, 3, 4, 5, 6, 7};
  request.forbidden = {kModelEnd};
  request.sampling = Sampling{.chain = {}, .stream = 1};
  EXPECT_EQ(alone(model, request).size(), 5u);
  EXPECT_EQ(model.prompt_rows, 5);
  EXPECT_EQ(model.rows, 1 + 5 * (request.length_limit - 1));
}

// A request that ended or was ended, and how much of it the next one has to read.
TEST(Engine, KeepsTheRowsOfARequestThatOthersBeginWith) {
  struct Kept {
    const char* name;
    int64_t size;   // hypotheses
    int64_t steps;  // before it is ended; 0: it ends by itself
    int64_t same;   // tokens of prompt and target that the next prompt begins with
    int64_t rows;   // that it keeps
  };
  const Kept cases[] = {{"to its end", 1, 0, 12, 11},
                        {"to its end, another text", 1, 0, 9, 11},
                        {"ended before", 1, 3, 9, 8},
                        {"several hypotheses", 2, 0, 12, 5},
                        {"one that was only begun", 1, 1, 6, 6}};
  for (const Kept& c : cases) {
    for (const bool is_drafted : {false, true}) {
      SCOPED_TRACE(fmt::format("{}{}", c.name, is_drafted ? ", drafted" : ""));
      PrefixModel model(8, 3), clean(8, 3);
      NgramDrafter drafter;
      Engine engine(model, {.slots = 1,
                            .prefill_share = 0,
                            .drafter = is_drafted && c.steps == 0 ? &drafter : nullptr});
      Request request = small_request(4, c.size);
      request.prompt = {2, 3, 4, 5, 6, 7};
      request.forbidden = {kModelEnd};
      request.keeps_rows = request.streams = true;
      request.beam.n_best = 1;
      const std::vector<int32_t> target = alone(clean, request).front().tokens;
      const RequestId first = engine.submit(request);
      Log log;
      for (int64_t i = 0; i < c.steps; ++i) log.add(engine.step());
      EXPECT_EQ(engine.keep(first), c.steps > 0);
      log.run(engine);
      EXPECT_EQ(log.finished.contains(first), c.steps == 0);
      EXPECT_FALSE(engine.resume(first));
      EXPECT_EQ(engine.active(), 0);
      Request next = request;
      next.keeps_rows = false;
      next.prompt.insert(next.prompt.end(), target.begin(), target.end());
      next.prompt.resize(static_cast<size_t>(c.same));
      next.prompt.insert(next.prompt.end(), {0, 5});
      const int64_t rows = model.prompt_rows;
      const RequestId second = engine.submit(next);
      EXPECT_EQ(engine.active() + engine.waiting(), 1);
      log.run(engine);
      EXPECT_TRUE(same_hypotheses(log.finished.at(second).hypotheses, alone(clean, next)));
      const int64_t cached = std::min(c.rows, c.same);
      EXPECT_EQ(log.finished.at(second).cached_tokens, cached);
      if (!is_drafted) {
        EXPECT_EQ(model.prompt_rows - rows, c.same + 1 - cached);
      }
      EXPECT_TRUE(engine.cancel(first));
      EXPECT_FALSE(engine.cancel(first));
    }
  }
}

// What a model keeps of the last turn of a conversation changes no bit of the next.
TEST_P(EnginePrecision, OfAConversationIsThatOfItsWholeText) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  for (const ModelCase& c : model_cases()) {
    if (c.name != "rotary positions" && c.name != "average attention" &&
        c.name != "local attention, one head of keys") {
      continue;
    }
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = packed_model(c.options, GetParam());
    DecoderSteps steps = decoder_steps(model), clean = decoder_steps(model);
    Engine engine(steps, {.slots = 1});
    Request request{.source = {5, 7, kEnd}, .beam = {.size = 1}, .length_limit = 120};
    request.forbidden = {kEnd};
    request.keeps_rows = true;
    request.prompt = {kBegin, 9, 8};
    for (RequestId turn = 0; turn < 4; ++turn) {
      const RequestId id = engine.submit(request);
      Log log;
      log.run(engine);
      if (turn > 0) engine.cancel(id - 1);
      const NBest& found = log.finished.at(id).hypotheses;
      EXPECT_TRUE(same_hypotheses(found, alone(clean, request)));
      EXPECT_EQ(log.finished.at(id).cached_tokens, turn > 0 ? std::ssize(request.prompt) - 3 : 0);
      const std::vector<int32_t>& target = found.front().tokens;
      request.prompt.insert(request.prompt.end(), target.begin(), target.end());
      request.prompt.insert(request.prompt.end(), {20, 21});
    }
  }
}

TEST(Engine, PrefillsOnWhereTheRequestThatItSharesWithIsGone) {
  PrefixModel model(8, 3), clean(8, 3);
  Engine engine(model, {.slots = 2, .prefill_share = 0, .prefill_rows = 2});
  Request request = small_request(4);
  request.prompt = {2, 3, 4, 5, 6, 7};
  for (const bool is_parked : {false, true}) {
    const RequestId first = engine.submit(request), second = engine.submit(request);
    Log log;
    log.add(engine.step());
    EXPECT_TRUE(is_parked ? engine.park(first) : engine.cancel(first));
    log.run(engine);
    EXPECT_TRUE(same_hypotheses(log.finished.at(second).hypotheses, alone(clean, request)));
    EXPECT_EQ(engine.resume(first), is_parked);
    log.run(engine);
    EXPECT_EQ(log.finished.contains(first), is_parked);
  }
}

TEST_P(EnginePrecision, OfARequestIsTheSameAfterItWasParked) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  for (const ModelCase& c : model_cases()) {
    if (c.name != "rotary positions" && c.name != "average attention" &&
        c.name != "lstm with Bahdanau's attention") {
      continue;
    }
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = packed_model(c.options, GetParam());
    DecoderSteps steps = decoder_steps(model);
    const std::vector<Request> requests = requests_with_prompts();
    std::vector<NBest> expected;
    for (const Request& request : requests) expected.push_back(alone(steps, request));
    Engine engine(steps, {.slots = 3, .prefill_share = 0, .prefill_rows = 4});
    for (const Request& request : requests) engine.submit(request);
    RandomStream random(5, 5);
    Log log;
    int64_t parkings = 0;
    const size_t count = requests.size();
    while (log.finished.size() < count) {
      log.add(engine.step());
      const auto draw = [&] { return static_cast<RequestId>(random.below(count)); };
      for (int i = 0; i < 3; ++i) parkings += engine.park(draw()) ? 1 : 0;
      engine.resume(draw());
    }
    EXPECT_GT(parkings, 5);
    for (size_t r = 0; r < requests.size(); ++r) {
      const auto id = static_cast<RequestId>(r);
      EXPECT_EQ(log.error_of(id), "");
      EXPECT_TRUE(same_hypotheses(log.finished.at(id).hypotheses, expected[r])) << r;
    }
  }
}

TEST(Engine, LetsAnotherRequestTakeThePlaceOfOneThatIsParked) {
  PrefixModel model(8, 3);
  Engine engine(model, {.slots = 1, .prefill_share = 0});
  std::vector<Request> requests;
  for (int32_t s = 0; s < 3; ++s) requests.push_back(small_request(s, 2, 5));
  for (Request& request : requests) request.forbidden = {kModelEnd};
  for (const Request& request : requests) engine.submit(request);
  Log log;
  EXPECT_FALSE(engine.park(0));  // it waits
  log.add(engine.step());
  EXPECT_TRUE(engine.park(0));
  EXPECT_FALSE(engine.park(0));
  EXPECT_EQ(engine.active(), 0);
  log.add(engine.step());
  EXPECT_THAT(model.sources(), ElementsAre(0, 1));
  EXPECT_TRUE(engine.resume(0));
  EXPECT_FALSE(engine.resume(0));
  EXPECT_EQ(engine.waiting(), 2);
  std::vector<RequestId> order;
  while (!engine.is_idle()) {
    std::vector<RequestOutput> outputs = engine.step();
    for (const RequestOutput& output : outputs) order.push_back(output.id);
    log.add(std::move(outputs));
  }
  EXPECT_THAT(order, ElementsAre(1, 0, 2));
  EXPECT_FALSE(engine.resume(0));
  for (int32_t s = 0; s < 3; ++s) {
    PrefixModel clean(8, 3);
    EXPECT_TRUE(same_hypotheses(log.finished.at(s).hypotheses, alone(clean, requests[s]))) << s;
  }
}

}  // namespace
}  // namespace weft::decode
