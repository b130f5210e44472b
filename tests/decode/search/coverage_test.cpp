#include "weft/decode/search/coverage.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/decode/decoded.h"
#include "tests/decode/prefix_model.h"
#include "tests/decode/small_model.h"
#include "weft/decode/alignment.h"
#include "weft/nn/attention/guide.h"
#include "weft/nn/attention/trace.h"

namespace weft::decode {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(Coverage, SumsUpWhatEachSourceTokenGets) {
  const Coverage one = covered({}, std::vector<float>{0.25f, 0.75f});
  EXPECT_THAT(covered(one, std::vector<float>{0.5f, 0.5f}), ElementsAre(0.75, 1.25));
}

TEST(CoveragePenalty, IsTheLogarithmOfWhatIsMissing) {
  EXPECT_EQ(coverage_penalty(0.5, {}), 0);
  EXPECT_EQ(coverage_penalty(0.5, {1, 1.7}), 0);
  EXPECT_NEAR(coverage_penalty(0.5, {0.5, 0.1, 3}), 0.5 * (std::log(0.5) + std::log(0.1)), 1e-12);
  EXPECT_NEAR(coverage_penalty(2, {0}), 2 * std::log(1e-10), 1e-9);
}

constexpr size_t kSource = 3;

// What the token after a prefix attends to, by chance.
std::vector<float> weights_after(const Prefix& prefix) {
  uint64_t stream = 5;
  for (const int32_t id : prefix) stream = stream * 1000003 + static_cast<uint64_t>(id) + 7;
  RandomStream random(1, stream);
  std::vector<float> out(kSource);
  float sum = 0;
  for (float& w : out) sum += w = std::exp(3 * static_cast<float>(random.normal()));
  for (float& w : out) w /= sum;
  return out;
}

struct AttendingModel : PrefixModel {
  using PrefixModel::PrefixModel;

  Tensor step(const Step& step) override {
    Tensor logits = PrefixModel::step(step);
    if (step.attention == nullptr) return logits;
    step.attention->weights.clear();
    step.attention->segments.clear();
    for (const Prefix& prefix : prefixes()) {
      const auto weights = weights_after(prefix);
      for (const float w : weights) step.attention->weights.push_back(w);
      step.attention->segments.append(std::ssize(weights));
    }
    return logits;
  }
};

Request coverage_request(double beta, int64_t size, int64_t n_best, int64_t limit) {
  return {.source = {0},
          .beam = {.size = size,
                   .n_best = n_best,
                   .penalty = {PowerPenalty{1}},
                   .coverage_penalty = beta},
          .length_limit = limit};
}

// Every hypothesis with its coverage added up along its tokens.
NBest all_of(uint64_t seed, const Request& request) {
  NBest out = Oracle{PrefixModel(4, seed), request}.all();
  for (Hypothesis& h : out) {
    Prefix prefix{0, kModelBegin};
    std::vector<double> sums(kSource);
    for (size_t j = 0; j < h.tokens.size() + (h.ended ? 1 : 0); ++j) {
      const std::vector<float> weights = weights_after(prefix);
      for (size_t i = 0; i < kSource; ++i) sums[i] += double{weights[i]};
      if (j < h.tokens.size()) prefix.push_back(h.tokens[j]);
    }
    for (const double sum : sums) {
      h.score += request.beam.coverage_penalty * std::log(std::min(std::max(sum, 1e-10), 1.0));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  return out;
}

TEST(CoveragePenalty, FindsWhatExhaustiveSearchFinds) {
  for (const double beta : {0.2, 1.0, 3.0}) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(fmt::format("beta {}, seed {}", beta, seed));
      const Request request = coverage_request(beta, 2000, 40, 4);
      const NBest expected = all_of(seed, request);
      AttendingModel model(4, seed);
      const NBest got = search(model, {request})[0];
      ASSERT_EQ(got.size(), 40u);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].tokens, expected[i].tokens) << i;
        EXPECT_THAT(got[i].score, DoubleNear(expected[i].score, 1e-5)) << i;
      }
    }
  }
}

TEST(CoveragePenalty, IsNotChangedByStoppingEarly) {
  int64_t rows = 0, rows_to_the_end = 0;
  for (const double beta : {0.05, 0.5}) {
    for (const int64_t n_best : {1, 4}) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        Request request = coverage_request(beta, 4, n_best, 15);
        AttendingModel model(6, seed), to_the_end(6, seed);
        const NBest got = search(model, {request})[0];
        request.beam.early_exit = false;
        const NBest all = search(to_the_end, {request})[0];
        ASSERT_EQ(got.size(), all.size());
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(got[i].tokens, all[i].tokens);
          EXPECT_EQ(got[i].score, all[i].score);
        }
        rows += model.rows;
        rows_to_the_end += to_the_end.rows;
      }
    }
  }
  EXPECT_LT(rows, rows_to_the_end);
}

// The mean over heads of the last layer's cross-attention, from a pass that keeps all weights.
std::vector<float> mean_weights(const models::Seq2Seq& model, std::span<const int32_t> source,
                                const std::vector<int32_t>& inputs) {
  data::Tokens sources, targets;
  sources.add(source);
  targets.add(inputs);
  nn::Context context;
  const nn::Memory memory = model.encode(sources, context);
  nn::AttentionTrace trace;
  context.observer = &trace;
  model.decoder.forward({ops::make_ids(targets.ids), ops::make_layout(targets.segments)}, memory,
                        context);
  const int64_t last = model.decoder.layers.cross_attentions() - 1;
  const auto heads = trace.probabilities({"decoder", last, nn::AttentionRole::kCross}, 0);
  std::vector<float> out(source.size());
  for (const Tensor& head : heads) {
    for (size_t s = 0; s < source.size(); ++s) {
      const Tensor row = head.row_range(head.rows() - 1, head.rows());
      out[s] += row.data<float>()[s] / static_cast<float>(heads.size());
    }
  }
  return out;
}

TEST(DecoderSteps, ReturnWhatTheLastLayerAttendsTo) {
  const data::Tokens sources = random_sentences(3, 9);
  std::vector<Request> requests(3);
  std::vector<NewRequest> entered;
  for (int32_t s = 0; s < 3; ++s) {
    requests[s].source.assign(sources[s].begin(), sources[s].end());
    entered.push_back({s, &requests[s]});
  }
  for (const ModelCase& c : attending_cases()) {
    SCOPED_TRACE(c.name);
    const models::Seq2Seq model = small_model(c.options);
    DecoderSteps steps = decoder_steps(model);
    steps.reset();
    SourceWeights attention;
    steps.begin(entered);
    steps.step({std::vector<int32_t>{kBegin, kBegin, kBegin}, std::vector<int32_t>{-1, -1, -1},
                std::vector<int32_t>{1, 1, 1}, &attention});
    steps.step({std::vector<int32_t>{7, 9, 8}, std::vector<int32_t>{0, 0, 0},
                std::vector<int32_t>{2, 0, 1}, &attention});
    const std::vector<std::vector<int32_t>> inputs = {{kBegin, 7}, {kBegin, 9}, {kBegin, 8}};
    for (int64_t w = 0; w < 3; ++w) {
      const std::vector<float> expected = mean_weights(model, sources[w == 2 ? 2 : 0], inputs[w]);
      ASSERT_EQ(attention.of(w).size(), expected.size());
      for (size_t s = 0; s < expected.size(); ++s) {
        EXPECT_NEAR(attention.of(w)[s], expected[s], 1e-5f);
      }
    }
  }
}

TEST(Decode, AddsThePenaltyForWhatItsAlignmentLeavesOutWhateverTheBatch) {
  const models::Seq2Seq model = small_model(small_options());
  const data::Tokens sources = random_sentences(6, 9);
  DecodeOptions options{.beam_size = 4, .normalize = 0, .coverage_penalty = 0.3, .n_best = true};
  for (const int64_t batch : {1, 4}) {
    options.mini_batch = batch;
    const std::vector<NBest> found = decode(model, sources, options);
    const auto aligned = align(model, sources, found,
                               alignment_heads("mean", model.options, "--alignment-heads"), 8);
    int64_t penalised = 0;
    for (size_t s = 0; s < found.size(); ++s) {
      for (size_t i = 0; i < found[s].size(); ++i) {
        const Alignment& a = aligned[s][i];
        Coverage coverage;
        for (size_t at = 0; at < a.weights.size(); at += static_cast<size_t>(a.source)) {
          coverage = covered(coverage, std::span(a.weights).subspan(at, sources[s].size()));
        }
        const double penalty = coverage_penalty(0.3, coverage);
        EXPECT_NEAR(found[s][i].score, found[s][i].log_probability + penalty, 1e-4);
        penalised += penalty < -0.01 ? 1 : 0;
      }
    }
    EXPECT_GT(penalised, 3);
  }
}

}  // namespace
}  // namespace weft::decode
