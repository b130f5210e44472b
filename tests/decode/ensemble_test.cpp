#include "weft/decode/ensemble.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decode/decoded.h"
#include "tests/decode/prefix_model.h"
#include "tests/decode/small_model.h"
#include "tests/support/options.h"
#include "weft/core/error.h"

namespace weft::decode {
namespace {

constexpr int64_t kVocabulary = 5, kLimit = 4;

Request ensemble_request(int64_t size, int64_t n_best, int64_t limit) {
  return {.source = {0},
          .beam = {.size = size, .n_best = n_best, .penalty = {PowerPenalty{0.6}}},
          .length_limit = limit};
}

template <class... Models>
Ensemble ensemble_of(const Models&... models) {
  std::vector<Member> members;
  (members.push_back({std::make_unique<Models>(models)}), ...);
  return Ensemble(std::move(members));
}

// What the members say of one sentence, added up.
double log_probability(const std::vector<PrefixModel>& models, const std::vector<double>& weights,
                       const Hypothesis& h) {
  std::vector<int32_t> tokens = h.tokens;
  if (h.ended) tokens.push_back(kModelEnd);
  double sum = 0;
  for (size_t m = 0; m < models.size(); ++m) {
    Prefix prefix{0, kModelBegin};
    for (const int32_t token : tokens) {
      sum += weights[m] * log_softmax(models[m].logits(prefix))[static_cast<size_t>(token)];
      prefix.push_back(token);
    }
  }
  return sum;
}

TEST(Ensemble, FindsWhatExhaustiveSearchFindsByTheWeightedSum) {
  const std::vector<std::vector<double>> weightings = {
      {1, 1}, {0.7, 0.3}, {2.5, 0.01}, {0.2, 0.5, 0.3}, {0.4}};
  for (const std::vector<double>& weights : weightings) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(weights, " ")));
    const Request request = ensemble_request(2000, 2000, kLimit);
    std::vector<PrefixModel> models;
    std::vector<Member> members;
    for (size_t m = 0; m < weights.size(); ++m) {
      models.emplace_back(kVocabulary, m);
      members.push_back({std::make_unique<PrefixModel>(models.back()), weights[m]});
    }
    const Oracle oracle{models[0], request};
    NBest expected = oracle.all();
    for (Hypothesis& h : expected) {
      h.log_probability = log_probability(models, weights, h);
      h.score = oracle.score(h.log_probability, h.tokens.size() + (h.ended ? 1 : 0));
    }
    std::ranges::stable_sort(expected, std::ranges::greater{}, &Hypothesis::score);
    Ensemble ensemble(std::move(members));
    const NBest got = search(ensemble, {request})[0];
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_EQ(got[0].tokens, expected[0].tokens);
    for (size_t i = 0; i < got.size(); ++i) {
      // Neighbours whose scores are all but equal may change places.
      EXPECT_NEAR(got[i].score, expected[i].score, 1e-5) << i;
      EXPECT_NEAR(got[i].log_probability, log_probability(models, weights, got[i]), 1e-5) << i;
    }
  }
}

TEST(Ensemble, RefusesVocabulariesOfDifferentSizes) {
  EXPECT_THROW(ensemble_of(PrefixModel(5, 1), PrefixModel(6, 1)), ShapeError);
}

TEST(Ensemble, HasNoTokensWhereScoresAreNotFinite) {
  const auto model = [](const Step& step) {
    return Tensor::full({std::ssize(step.ids), 5}, std::numeric_limits<double>::quiet_NaN());
  };
  Ensemble ensemble = ensemble_of(FunctionModel(5, model));
  EXPECT_FALSE(search(ensemble, {ensemble_request(2, 1, 3)})[0][0].is_finite);
}

class EnsembleOfModels : public testing::Test {
 protected:
  static models::Seq2Seq other_model() {
    models::Seq2SeqOptions options = small_options();
    options.decoder.dec_depth = 1;
    options.encoder.dim_emb = 16;
    test::set(options, "--transformer-norm pre");
    return small_model(options);
  }

  const models::Seq2Seq one_ = small_model(small_options()), other_ = other_model();
  const data::Tokens sources_ = random_sentences(15, 12);
};

TEST_F(EnsembleOfModels, GivesWhatOneGivesWhenAllAreTheSame) {
  const DecodeOptions alone{.beam_size = 3, .normalize = 1, .n_best = true, .mini_batch = 4};
  const std::vector<NBest> expected = decode(one_, sources_, alone);
  for (const std::vector<double>& weights : {std::vector<double>{}, {0.3, 0.7}, {2, 1}}) {
    DecodeOptions options = alone;
    options.weights = weights;
    const double sum = weights.empty() ? 2 : weights[0] + weights[1];
    const std::vector<NBest> got = decode(std::array{&one_, &one_}, sources_, options);
    for (size_t s = 0; s < expected.size(); ++s) {
      ASSERT_EQ(got[s].size(), expected[s].size());
      for (size_t i = 0; i < got[s].size(); ++i) {
        EXPECT_EQ(got[s][i].tokens, expected[s][i].tokens);
        EXPECT_NEAR(got[s][i].score, sum * expected[s][i].score, 1e-4);
      }
    }
  }
}

TEST_F(EnsembleOfModels, OfDifferentShapesScoresWithTheSumOfBoth) {
  const DecodeOptions options{.beam_size = 3, .weights = {0.6, 0.4}, .n_best = true};
  const std::vector<NBest> found = decode(std::array{&one_, &other_}, sources_, options);
  int64_t ended = 0;
  for (int64_t s = 0; s < sources_.examples(); ++s) {
    for (const Hypothesis& h : found[s]) {
      if (!h.ended) continue;
      data::Batch batch{.fields = {data::Tokens(), data::Tokens()}, .examples = {0}};
      batch.tokens(0).add(sources_[s]);
      batch.tokens(1).add(h.tokens, kEnd);
      double expected = 0;
      for (const double p : one_.token_log_probabilities(batch)) expected += 0.6 * p;
      for (const double p : other_.token_log_probabilities(batch)) expected += 0.4 * p;
      EXPECT_NEAR(h.log_probability, expected, 1e-4);
      ++ended;
    }
  }
  EXPECT_GT(ended, 0);
}

TEST_F(EnsembleOfModels, DoesNotDependOnTheBatch) {
  DecodeOptions options{.beam_size = 3, .weights = {0.6, 0.4}, .mini_batch = 15};
  const std::vector<NBest> expected = decode(std::array{&one_, &other_}, sources_, options);
  for (const int64_t batch : {1, 4}) {
    options.mini_batch = batch;
    const std::vector<NBest> got = decode(std::array{&one_, &other_}, sources_, options);
    for (size_t s = 0; s < expected.size(); ++s) {
      EXPECT_EQ(got[s][0].tokens, expected[s][0].tokens);
      EXPECT_EQ(got[s][0].log_probability, expected[s][0].log_probability);
    }
  }
}

TEST_F(EnsembleOfModels, KeepsToThePositionsThatEveryMemberHas) {
  models::Seq2SeqOptions learned = small_options();
  test::set(learned, "--position learned");
  learned.encoder.position.max_positions = 13;
  const models::Seq2Seq bounded = small_model(learned);
  const auto found = decode(std::array{&one_, &bounded}, sources_, {.beam_size = 1}, {kEnd});
  for (const NBest& n_best : found) EXPECT_LE(n_best[0].tokens.size(), 13u);
}

TEST_F(EnsembleOfModels, NeedsAWeightForEach) {
  const DecodeOptions options{.weights = {1, 1}};
  EXPECT_THROW(decode(one_, sources_, options), OptionError);
}

}  // namespace
}  // namespace weft::decode
