#include "weft/decode/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/decode/prefix_model.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::decode {
namespace {

using Phrases = std::vector<Phrase>;

Request good_request() {
  return {.source = {1}, .beam = {.size = 2, .n_best = 2}, .length_limit = 6};
}

struct Refusal {
  std::function<void(Request&)> change;
  std::string message;
};

void expect_refused(std::span<const Refusal> refusals) {
  for (const Refusal& refusal : refusals) {
    Request request = good_request();
    refusal.change(request);
    EXPECT_THAT(test::message_of<OptionError>([&] { check_request(request, test_traits(8)); }),
                testing::StartsWith("request: " + refusal.message));
  }
}

TEST(Request, IsRefusedWhereItIsWrongAndTheFieldNamed) {
  const Refusal refusals[] = {
      {[](Request& r) { r.source.clear(); }, "source is empty; expected tokens"},
      {[](Request& r) {
         r.source = {1, 1000};
       },
       "source has the token 1000; expected 0 to 999"},
      {[](Request& r) { r.source = {-1}; }, "source has the token -1; expected 0 to 999"},
      {[](Request& r) { r.length_limit = 0; }, "length_limit is 0; expected 1 to 1000000000"},
      {[](Request& r) { r.min_length = 7; }, "min_length is 7; expected 0 to 6"},
      {[](Request& r) { r.prefix.assign(7, 3); },
       "prefix has 7 tokens; expected at most length_limit, 6"},
      {[](Request& r) { r.prefix = {8}; }, "prefix has the token 8; expected 0 to 7"},
      {[](Request& r) { r.beam.size = 0; }, "beam.size is 0; expected 1 to"},
      {[](Request& r) { r.beam.n_best = 3; }, "beam.n_best is 3; expected 1 to 2"},
      {[](Request& r) { r.streams = true; }, "streams contradicts beam.n_best 2"},
      {[](Request& r) { r.beam.penalty = {PowerPenalty{-1}}; }, "beam.penalty is -1; expected"},
      {[](Request& r) { r.beam.penalty = {WuPenalty{std::nan("")}}; }, "beam.penalty is nan"},
      {[](Request& r) { r.beam.coverage_penalty = -1; }, "beam.coverage_penalty is -1; expected"},
      {[](Request& r) { r.sampling = Sampling{.chain = {Temperature{0}}}; },
       "sampling.temperature is 0; expected 1e-06 to"},
      {[](Request& r) { r.sampling = Sampling{.chain = {TopK{0}}}; },
       "sampling.top_k is 0; expected 1 to"},
      {[](Request& r) {
         r.sampling = Sampling{.chain = {TopK{2}, TopP{1.5}}};
       },
       "sampling.top_p is 1.5; expected 0 to 1"},
      {[](Request& r) { r.sampling = Sampling{.chain = {MinP{std::nan("")}}}; },
       "sampling.min_p is nan; expected 0 to 1"},
      {[](Request& r) { r.prompt = {8}; }, "prompt has the token 8; expected 0 to 7"},
      {[](Request& r) { r.end_ids = {-1}; }, "end_ids has the token -1; expected 0 to 7"},
      {[](Request& r) { r.stop.strings = {"."}; }, "stop.strings without stop.detokenise"},
      {[](Request& r) {
         r.stop.strings = {""};
         r.stop.detokenise = [](std::span<const int32_t>) { return std::string(); };
       },
       "a string of stop.strings is empty"},
      {[](Request& r) {
         r.sampling = Sampling{};
         r.constraints = Constraints(Phrases{{3}});
       },
       "constraints contradict sampling"},
      {[](Request& r) {
         r.constraints = Constraints(Phrases{{3, 9}});
       },
       "constraints has the token 9; expected 0 to 7"},
      {[](Request& r) { r.forbidden = {-2}; }, "forbidden has the token -2; expected 0 to 7"},
      {[](Request& r) { r.processors = {BannedPhrases(Phrases{Phrase{}})}; },
       "an empty phrase is banned"},
      {[](Request& r) { r.processors = {NoRepeatNgram{0}}; },
       "processors.no_repeat_ngram is 0; expected 1 to"},
      {[](Request& r) {
         r.processors = {BannedPhrases(Phrases{{4, 5}})};
         r.constraints = Constraints(Phrases{{3, 4, 5}});
       },
       "a phrase of constraints holds a banned one"},
      {[](Request& r) {
         r.allowed = {3, kModelEnd};
       },
       "allowed is not in rising order"},
      {[](Request& r) { r.allowed = {3}; }, "allowed lacks the token 1 of the end symbol"},
      {[](Request& r) {
         r.allowed = {kModelEnd, 3};
         r.prefix = {4};
       },
       "allowed lacks the token 4 of prefix"},
      {[](Request& r) {
         r.allowed = {kModelEnd, 3};
         r.constraints = Constraints(Phrases{{3, 5}});
       },
       "allowed lacks the token 5 of constraints"},
  };
  expect_refused(refusals);
}

TEST(Request, IsRefusedWhereItsProcessorsOrSamplingAreWrong) {
  const Refusal refusals[] = {
      {[](Request& r) {
         r.processors = {LogitBias{{{8, 1}}}};
       },
       "processors.logit_bias has the token 8; expected 0 to 7"},
      {[](Request& r) {
         r.processors = {LogitBias{{{3, INFINITY}}}};
       },
       "processors.logit_bias of token 3 is inf; expected -1000000 to 1000000"},
      {[](Request& r) { r.processors = {TokenPenalties{.repetition = 0}}; },
       "processors.token_penalties.repetition is 0; expected"},
      {[](Request& r) { r.processors = {TokenPenalties{.last_n = 0}}; },
       "processors.token_penalties.last_n is 0; expected 1 to"},
      {[](Request& r) {
         r.processors = {Dry{{.multiplier = 1, .base = 0.5}, {}}};
       },
       "processors.dry.base is 0.5; expected a number of at least 1"},
      {[](Request& r) {
         r.processors = {Dry{{.multiplier = 1}, {}}};
       },
       "processors.dry has sequence_breakers without text_of"},
      {[](Request& r) {
         r.sampling = Sampling{.chain = {Xtc{2, 0.1}}};
       },
       "sampling.xtc.probability is 2; expected 0 to 1"},
      {[](Request& r) { r.sampling = Sampling{.chain = {Typical{-1}}}; },
       "sampling.typical_p is -1; expected 0 to 1"},
      {[](Request& r) { r.sampling = Sampling{.chain = {TopNSigma{-1}}}; },
       "sampling.top_n_sigma is -1; expected 0 to"},
  };
  expect_refused(refusals);
}

TEST(Request, NeedsAModelThatAttendsForACoveragePenalty) {
  Request request = good_request();
  request.beam.coverage_penalty = 0.2;
  ModelTraits model = test_traits(8);
  EXPECT_NO_THROW(check_request(request, model));
  model.has_attention = false;
  EXPECT_EQ(test::message_of<OptionError>([&] { check_request(request, model); }),
            "request: beam.coverage_penalty is for models that attend to the source");
}

TEST(Request, MayAskForAsMuchAsThereIs) {
  Request request = good_request();
  request.min_length = 6;
  request.prefix.assign(6, 7);
  request.allowed = {kModelEnd, 3, 7};
  request.constraints = Constraints(Phrases{{3, 3, 3, 3}, {7, 3, 7, 7}});  // more than the limit
  EXPECT_NO_THROW(check_request(request, test_traits(8)));
}

}  // namespace
}  // namespace weft::decode
