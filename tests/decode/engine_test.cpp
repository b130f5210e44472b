#include "weft/decode/engine.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "tests/decode/engine_log.h"
#include "tests/decode/mixed_requests.h"
#include "tests/decode/prefix_model.h"
#include "tests/support/errors.h"
#include "tests/support/kept_threads.h"
#include "tests/support/options.h"
#include "weft/core/error.h"
#include "weft/decode/step_models.h"
#include "weft/ops/fused/enabled.h"

namespace weft::decode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Requests are submitted at different steps; copies of others come with them and are cancelled,
// waiting or active.
void expect_the_same_staggered(StepModel& model, const std::vector<Request>& requests,
                               const std::vector<NBest>& expected, int64_t slots,
                               int64_t& cancelled_active) {
  Engine engine(model, {.slots = slots});
  RandomStream random(5, static_cast<uint64_t>(slots));
  Log log;
  std::map<RequestId, size_t> ids;
  std::set<RequestId> copies, cancelled;
  for (size_t next = 0; next < requests.size() || !engine.is_idle();) {
    while (next < requests.size() && random.below(2) == 0) {
      if (random.below(2) == 0) copies.insert(engine.submit(requests[random.below(next + 1)]));
      ids[engine.submit(requests[next])] = next;
      ++next;
    }
    log.add(engine.step());
    if (copies.empty() || random.below(2) == 0) continue;
    const RequestId id = *copies.begin();
    copies.erase(copies.begin());
    const int64_t active = engine.active();
    EXPECT_EQ(engine.cancel(id), !log.finished.contains(id));
    cancelled_active += active - engine.active();
    if (!log.finished.contains(id)) cancelled.insert(id);
  }
  for (const RequestId id : cancelled) EXPECT_FALSE(log.finished.contains(id));
  for (const auto& [id, r] : ids) {
    EXPECT_EQ(log.error_of(id), "");
    EXPECT_TRUE(same_hypotheses(log.finished.at(id).hypotheses, expected[r])) << r;
  }
}

void expect_no_influence(StepModel& model, bool has_attention = true) {
  std::vector<Request> requests = mixed_requests(30);
  std::vector<NBest> expected;
  const test::KeptThreads kept;
  set_threads(1);
  for (Request& request : requests) {
    if (!has_attention) request.beam.coverage_penalty = 0;
    expected.push_back(alone(model, request));
  }
  int64_t cancelled_active = 0;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    for (const int64_t slots : {3, 8, 40}) {
      SCOPED_TRACE(fmt::format("{} threads, {} slots", threads, slots));
      expect_the_same_staggered(model, requests, expected, slots, cancelled_active);
    }
  }
  EXPECT_GT(cancelled_active, 10);
}

class AnyPrecision : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(, AnyPrecision, testing::Values(DType::kF32, DType::kBF16, DType::kI8),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(AnyPrecision, OfARequestDoesNotDependOnTheOthers) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  std::vector<ModelCase> cases = {{"transformer", small_options()}};
  for (const ModelCase& c : model_cases()) {
    for (const char* name :
         {"relative positions", "linear attention", "clusters by centroids", "gru with Bahdanau",
          "Luong's attention, fed back", "read both ways"}) {
      if (c.name.find(name) != c.name.npos) cases.push_back(c);
    }
  }
  ASSERT_GE(cases.size(), 7u);
  for (const ModelCase& c : cases) {
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = packed_model(c.options, GetParam());
    DecoderSteps steps = decoder_steps(model);
    expect_no_influence(steps, model.has_attention());
  }
}

TEST_P(AnyPrecision, OfAnEnsembleDoesNotDependOnTheOthers) {
  if (!ops::fused_enabled()) GTEST_SKIP() << "the composites multiply a sentence at a time";
  models::Seq2SeqOptions other = small_options();
  other.decoder.dec_depth = 1;
  const models::Seq2Seq one = packed_model(small_options(), GetParam());
  const models::Seq2Seq two = packed_model(other, DType::kF32);
  const auto model = step_model(std::array{&one, &two}, std::vector{0.7, 0.3});
  expect_no_influence(*model);
}

// The states of another source give its hypotheses: nothing is encoded. Recurrent models, whose
// decoders start from more than states, encode all the same.
TEST_P(AnyPrecision, OfKnownMemoryAreThoseOfItsSource) {
  models::Seq2SeqOptions recurrent;
  test::set(recurrent, "--type rnn-attention --enc-depth 1 --dec-depth 1 --dim-emb 32");
  for (const models::Seq2SeqOptions& options : {small_options(), recurrent}) {
    const models::Seq2Seq model = packed_model(options, GetParam());
    DecoderSteps steps = decoder_steps(model);
    const Request plain{.source = {5, 9, 7, kEnd}, .length_limit = 9};
    Request other = plain;
    other.source = {8, 6, 11, kEnd};
    data::Tokens source;
    source.add(other.source);
    nn::Context context;
    Request known = options.is_transformer() ? plain : other;
    known.memory = model.encode(source, context).states;
    EXPECT_TRUE(same_hypotheses(alone(steps, known), alone(steps, other)));
    EXPECT_FALSE(same_hypotheses(alone(steps, known), alone(steps, plain)));
  }
}

TEST(Engine, RefusesMemoryThatIsNotOfTheSourceAndModel) {
  const models::Seq2Seq model = small_model(small_options());
  Request request{.source = {5, kEnd}, .memory = Tensor::empty({3, 32})};
  DecoderSteps steps = decoder_steps(model);
  EXPECT_THAT(test::message_of<OptionError>([&] { Engine(steps).submit(request); }),
              HasSubstr("memory has 3 rows; expected one for each of 2 source tokens"));
  request.memory = Tensor::empty({2, 32});
  const auto both = step_model(std::array{&model, &model});
  Engine engine(*both);
  Log log;
  engine.submit(request);
  log.run(engine);
  EXPECT_THAT(log.error_of(0), HasSubstr("memory is of one model; got several"));
}

TEST(Engine, FinishesEveryRequestOnceAndIsIdleThen) {
  PrefixModel model(8, 2);
  Engine engine(model, {.slots = 3});
  EXPECT_TRUE(engine.is_idle());
  EXPECT_THAT(engine.step(), IsEmpty());
  Log log;
  std::vector<NBest> expected;
  for (int32_t s = 0; s < 7; ++s) EXPECT_EQ(engine.submit(small_request(s, 1 + s % 3)), s);
  EXPECT_EQ(engine.waiting(), 7);
  log.add(engine.step());
  EXPECT_LE(engine.active(), 3);
  log.run(engine);
  EXPECT_EQ(log.finished.size(), 7u);
  EXPECT_THAT(log.stable_prefixes, IsEmpty());
  EXPECT_EQ(engine.submit(small_request(0, 1)), 7);
  log.run(engine);
  EXPECT_TRUE(same_hypotheses(log.finished.at(7).hypotheses, log.finished.at(0).hypotheses));
  EXPECT_THAT(model.sources(), testing::Each(-1));
}

TEST(Engine, ReportsWhatIsDecidedOfRequestsThatStream) {
  PrefixModel model(8, 3);
  Engine engine(model);
  Request request = small_request(1, 1, 9);
  engine.submit(request);
  request.streams = true;
  engine.submit(request);
  Log log;
  log.run(engine);
  const Prefix& whole = log.finished.at(1).hypotheses.at(0).tokens;
  EXPECT_EQ(log.finished.at(1).stable_prefix, whole);
  EXPECT_THAT(log.finished.at(0).stable_prefix, IsEmpty());
  EXPECT_FALSE(log.stable_prefixes.contains(0));
  ASSERT_GT(log.stable_prefixes[1].size(), 1u);
  for (size_t i = 0; i < log.stable_prefixes[1].size(); ++i) {
    EXPECT_EQ(log.stable_prefixes[1][i], Prefix(whole.begin(), whole.begin() + i + 1));
  }
}

TEST(Engine, CancelsRequestsThatWaitOrAreActiveAndNoOthers) {
  PrefixModel model(8, 3);
  Engine engine(model, {.slots = 2});
  Request endless = small_request(0, 2, 50);
  endless.forbidden = {kModelEnd};
  for (int32_t s = 0; s < 4; ++s) {
    endless.source = {s};
    engine.submit(endless);
  }
  engine.step();
  EXPECT_THAT(model.sources(), ElementsAre(0, 1));
  EXPECT_TRUE(engine.cancel(0));
  EXPECT_THAT(model.sources(), ElementsAre(-1, 1));
  EXPECT_TRUE(engine.cancel(2));
  for (const RequestId id : {0, 2, 4, -1}) EXPECT_FALSE(engine.cancel(id)) << id;
  EXPECT_EQ(engine.waiting(), 1);
  Log log;
  log.add(engine.step());
  EXPECT_THAT(model.sources(), ElementsAre(3, 1));
  log.run(engine);
  EXPECT_THAT(log.finished, testing::SizeIs(2));
  EXPECT_EQ(log.finished.count(1) + log.finished.count(3), 2u);
  EXPECT_FALSE(engine.cancel(1));
  EXPECT_TRUE(engine.is_idle());
  PrefixModel other(8, 3);
  EXPECT_TRUE(same_hypotheses(log.finished.at(3).hypotheses, alone(other, endless)));
}

TEST(Engine, PrefillsWhenAQuarterOfTheSlotsIsFreeOrAtOnce) {
  struct Counting : PrefixModel {
    using PrefixModel::PrefixModel;
    void begin(std::span<const NewRequest> requests) override {
      prefills.push_back(requests.size());
      PrefixModel::begin(requests);
    }
    std::vector<size_t> prefills;
  };
  const auto prefills = [](double share) {
    Counting model(8, 3);
    Engine engine(model, {.slots = 8, .prefill_share = share});
    for (int32_t s = 0; s < 12; ++s) {
      Request request = small_request(s, 1, 3 + s);  // one of them ends at each step
      request.forbidden = {kModelEnd};
      engine.submit(request);
    }
    Log log;
    log.run(engine);
    EXPECT_EQ(log.finished.size(), 12u);
    return model.prefills;
  };
  EXPECT_THAT(prefills(0.25), ElementsAre(8, 2, 2));
  EXPECT_THAT(prefills(0), ElementsAre(8, 1, 1, 1, 1));
  EXPECT_THAT(prefills(1), ElementsAre(8, 4));
}

TEST(Engine, KeepsToTheRowsOfItsCache) {
  PrefixModel model(8, 3);
  Engine engine(model, {.slots = 8, .cache_rows = 50, .prefill_share = 0});
  std::vector<Request> requests;
  for (int32_t s = 0; s < 9; ++s) requests.push_back(small_request(s, 1 + s % 4, 7));
  for (const Request& request : requests) engine.submit(request);
  EXPECT_EQ(cache_rows(requests[3]), 1 + 4 * 7);
  Log log;
  int64_t most = 0;
  while (!engine.is_idle()) {
    log.add(engine.step());
    int64_t rows = 0;
    for (const int32_t source : model.sources())
      rows += source < 0 ? 0 : cache_rows(requests[source]);
    EXPECT_LE(rows, 50);
    most = std::max(most, engine.active());
  }
  EXPECT_EQ(log.finished.size(), 9u);
  EXPECT_GE(most, 2);
  EXPECT_EQ(test::message_of<OptionError>([&] { engine.submit(small_request(1, 7, 8)); }),
            "request: source, prompt, beam.size and length_limit need 57 rows of the cache; "
            "expected at most "
            "50, the engine's cache_rows");
}

// Scores that are not finite in the third step of the source 3.
struct PoisonedModel : PrefixModel {
  using PrefixModel::PrefixModel;
  Tensor step(const Step& step) override {
    const Tensor out = PrefixModel::step(step);
    for (int64_t w = 0; w < out.rows(); ++w) {
      const Prefix& prefix = prefixes()[static_cast<size_t>(w)];
      if (prefix.front() != 3 || prefix.size() < 4) continue;
      out.data<float>()[w * out.stride() + 5] = std::numeric_limits<float>::quiet_NaN();
    }
    return out;
  }
};

TEST(Engine, EndsARequestThatFailsWithAnErrorAndServesTheOthers) {
  for (const bool is_sampled : {false, true}) {
    PoisonedModel model(8, 3);
    PrefixModel clean(8, 3);
    Engine engine(model, {.slots = 4});
    std::vector<Request> requests;
    for (int32_t s = 0; s < 8; ++s) {
      requests.push_back(small_request(s, 3, 9));
      requests.back().forbidden = {kModelEnd};
      if (is_sampled) requests.back().sampling = Sampling{.stream = static_cast<uint64_t>(s)};
      engine.submit(requests.back());
    }
    Log log;
    log.run(engine);
    ASSERT_EQ(log.finished.size(), 8u);
    for (int32_t s = 0; s < 8; ++s) {
      const RequestOutput& output = log.finished.at(s);
      if (s == 3) {
        EXPECT_EQ(log.error_of(s), "search: the model's scores are not finite numbers");
        EXPECT_THAT(output.hypotheses, IsEmpty());
        continue;
      }
      EXPECT_EQ(log.error_of(s), "");
      EXPECT_TRUE(same_hypotheses(output.hypotheses, alone(clean, requests[s]))) << s;
    }
    EXPECT_THAT(model.sources(), testing::Each(-1));
  }
}

// Throws in a step with the source 2, or when the source 5 is prefilled.
struct ThrowingModel : PrefixModel {
  using PrefixModel::PrefixModel;
  void begin(std::span<const NewRequest> requests) override {
    PrefixModel::begin(requests);
    for (const NewRequest& p : requests) {
      if (p.request->source.front() == 5) fail<ShapeError>("model", "no prefill");
    }
  }
  Tensor step(const Step& step) override {
    if (std::ranges::count(sources(), 2) > 0) fail<ShapeError>("model", "no step");
    return PrefixModel::step(step);
  }
};

TEST(Engine, EndsTheRequestsOfAStepThatThrowsAndServesTheNext) {
  ThrowingModel model(8, 3);
  Engine engine(model, {.slots = 2, .prefill_share = 0});
  std::vector<Request> requests;
  for (int32_t s = 0; s < 8; ++s) requests.push_back(small_request(s, 2, 5));
  for (Request& request : requests) request.forbidden = {kModelEnd};
  requests[3].length_limit = 9;
  for (const Request& request : requests) engine.submit(request);
  Log log;
  log.run(engine);
  // 0 and 1 go together, then 2 and 3 in the step that fails; 4 and 5 in a prefill that fails.
  for (const RequestId id : {2, 3}) EXPECT_EQ(log.error_of(id), "model: no step");
  for (const RequestId id : {4, 5}) EXPECT_EQ(log.error_of(id), "model: no prefill");
  PrefixModel clean(8, 3);
  for (const RequestId id : {0, 1, 6, 7}) {
    EXPECT_EQ(log.error_of(id), "");
    EXPECT_TRUE(same_hypotheses(log.finished.at(id).hypotheses, alone(clean, requests[id]))) << id;
  }
}

TEST(Engine, KeepsActiveRequestsWhenAPrefillThrows) {
  ThrowingModel model(8, 3);
  Engine engine(model, {.slots = 2, .prefill_share = 0});
  Request active = small_request(0, 2, 9);
  active.forbidden = {kModelEnd};
  engine.submit(active);
  Log log;
  log.add(engine.step());
  engine.submit(small_request(5));
  log.run(engine);
  EXPECT_EQ(log.error_of(1), "model: no prefill");
  PrefixModel clean(8, 3);
  EXPECT_TRUE(same_hypotheses(log.finished.at(0).hypotheses, alone(clean, active)));
}

TEST(Engine, RefusesOptionsOutOfRange) {
  PrefixModel model(8, 3);
  const auto answer = [&](const EngineOptions& options) {
    return test::message_of<OptionError>([&] { Engine(model, options); });
  };
  EXPECT_EQ(answer({.slots = 0}), "engine: slots is 0; expected 1 to 1000000");
  EXPECT_EQ(answer({.cache_rows = -1}), "engine: cache_rows is -1; expected at least 0");
  EXPECT_EQ(answer({.prefill_share = 2}), "engine: prefill_share is 2; expected 0 to 1");
}

TEST(Engine, QueuesNothingThatItRefuses) {
  PrefixModel model(8, 3);
  Engine engine(model);
  Request request = small_request(1);
  request.source = {};
  EXPECT_THROW(engine.submit(request), OptionError);
  EXPECT_TRUE(engine.is_idle());
  EXPECT_EQ(engine.submit(small_request(1)), 0);
}

TEST(Engine, RefusesWhatItsModelHasNoCapacityFor) {
  models::Seq2SeqOptions learned = small_options();
  test::set(learned, "--position learned");
  learned.encoder.position.max_positions = 9;
  const models::Seq2Seq model = small_model(learned);
  DecoderSteps steps = decoder_steps(model);
  Engine engine(steps);
  Request request{.source = std::vector<int32_t>(10, 3), .length_limit = 9};
  EXPECT_THAT(test::message_of<OptionError>([&] { engine.submit(request); }),
              HasSubstr("source has 10 tokens; expected at most 9, as the model holds"));
  request.source.resize(9);
  request.length_limit = 10;
  EXPECT_THAT(test::message_of<OptionError>([&] { engine.submit(request); }),
              HasSubstr("length_limit is 10; expected 1 to 9"));
  request.length_limit = 9;
  EXPECT_NO_THROW(engine.submit(request));
}

}  // namespace
}  // namespace weft::decode
