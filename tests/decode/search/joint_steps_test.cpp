#include "weft/decode/search/joint_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/options.h"
#include "weft/decode/search/ctc_search.h"
#include "weft/decode/search/search.h"

namespace weft::decode {
namespace {

constexpr int32_t kJointTokens = 6, kJointEnd = 0, kJointBegin = 2;

class JointSearch : public testing::Test {
 protected:
  JointSearch() {
    models::TranscriberOptions o;
    test::set(o,
              "--enc-depth 1 --dec-depth 1 --dim-emb 16 --transformer-heads 2 "
              "--transformer-dim-ffn 24 --subsampling-layers 1 --subsampling-channels 8");
    model_ = models::Transcriber(
        o, {.bins = 4, .vocab = kJointTokens, .begin_id = kJointBegin, .end_id = kJointEnd});
    const auto parameters = nn::parameters_of(model_);
    const Tensor flat = nn::bind(parameters);
    nn::initialise(parameters, 5);
    RandomStream random(1, 1);
    for (float& x : flat.span<float>()) x += static_cast<float>(0.3 * random.normal());
  }
  Tensor memory(uint64_t stream, int64_t frames) const {
    RandomStream random(stream, 0);
    data::Features sound;
    sound.width = 4;
    for (int64_t i = 0; i < 4 * frames; ++i) {
      sound.values.push_back(static_cast<float>(random.normal()));
    }
    sound.segments.append(frames);
    nn::Context context;
    return model_.encode(sound, context).states;
  }
  Request request(const Tensor& states) const {
    return {.source = {},
            .memory = states,
            .beam = {.size = 4, .n_best = 4, .penalty = {}},
            .length_limit = 6,
            .forbidden = {kJointBegin}};
  }
  // log p of the decoder for these tokens and the end.
  double decoder_log_p(const Tensor& states, const std::vector<int32_t>& tokens) const {
    data::Tokens target;
    target.add(tokens, kJointEnd);
    nn::Context context;
    const nn::Memory memory{states, ops::make_layout(Segments::uniform(1, states.rows()))};
    const ops::Loss loss = ops::cross_entropy(
        model_.decoder.logits(model_.decoder.states(target, kJointBegin, memory, context), context),
        ops::make_ids(target.ids), {}, nullptr);
    return -loss.nll;
  }
  double ctc_log_p(const Tensor& states, const std::vector<int32_t>& tokens) const {
    const CtcPrefixScorer scorer(model_.ctc_log_probabilities(states), kJointEnd);
    CtcPrefixScorer::Prefix prefix = scorer.start();
    for (const int32_t token : tokens) prefix = scorer.extend(prefix, token);
    return scorer.scores(prefix)[kJointEnd] + prefix.score;
  }

  models::Transcriber model_;
};

TEST_F(JointSearch, ScoresByTheSharesOfDecoderAndCtc) {
  for (const double weight : {0.1, 0.6}) {
    JointSteps steps(model_, weight);
    const Tensor states = memory(1, 12);
    int64_t ended = 0;
    const std::vector<NBest> found = search(steps, {request(states)});
    for (const Hypothesis& h : found.front()) {
      if (!h.ended) continue;
      ++ended;
      const double expected =
          (1 - weight) * decoder_log_p(states, h.tokens) + weight * ctc_log_p(states, h.tokens);
      EXPECT_NEAR(h.log_probability, expected, 1e-4);
    }
    EXPECT_GT(ended, 0);
  }
}

TEST_F(JointSearch, OfASoundDoesNotDependOnTheOthers) {
  JointSteps steps(model_, 0.5);
  std::vector<Request> requests;
  for (uint64_t i = 0; i < 5; ++i) requests.push_back(request(memory(i, 8 + 3 * i)));
  const std::vector<NBest> together = search(steps, requests, {.slots = 3});
  for (size_t i = 0; i < requests.size(); ++i) {
    const NBest alone = search(steps, {requests[i]}).front();
    ASSERT_EQ(together[i].size(), alone.size());
    for (size_t h = 0; h < alone.size(); ++h) {
      EXPECT_EQ(together[i][h].tokens, alone[h].tokens);
      EXPECT_EQ(together[i][h].log_probability, alone[h].log_probability);
    }
  }
}

TEST_F(JointSearch, RefusesRequestsWithoutMemory) {
  DecoderSteps steps = decoder_steps(model_);
  Engine engine(steps);
  EXPECT_THROW(engine.submit({.source = {3, 0}}), OptionError);
  Request both = request(memory(1, 6));
  both.source = {3};
  EXPECT_THROW(engine.submit(both), OptionError);
}

}  // namespace
}  // namespace weft::decode
