// A model for engines whose scores are random numbers, drawn by the whole prefix, and the searches
// it is checked against: all sentences there are, and the most probable token at each step.
#ifndef WEFT_TESTS_DECODE_PREFIX_MODEL_H_
#define WEFT_TESTS_DECODE_PREFIX_MODEL_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "weft/core/random.h"
#include "weft/decode/search/search.h"

namespace weft::decode {

inline constexpr int32_t kModelEnd = 1, kModelBegin = 2;

// Any number is a source token, which tests use to tell requests apart.
inline ModelTraits test_traits(int64_t vocabulary) {
  return {.source_vocabulary = 1000,
          .target_vocabulary = vocabulary,
          .begin_id = kModelBegin,
          .end_id = kModelEnd,
          .has_attention = true};
}

// A model of one function.
class FunctionModel : public StepModel {
 public:
  using Scores = std::function<Tensor(const Step&)>;

  FunctionModel(int64_t vocabulary, Scores scores)
      : traits_(test_traits(vocabulary)), scores_(std::move(scores)) {}

  const ModelTraits& traits() const override { return traits_; }
  void reset() override {}
  void begin(std::span<const NewRequest>) override {}
  Tensor prefill(const PromptRows& prompts) override {
    std::vector<int32_t> ids;
    for (const int32_t row : prompts.scored) ids.push_back(prompts.ids[row]);
    return scores_({.ids = ids, .parents = {}, .counts = {}});
  }
  Tensor step(const Step& step) override { return scores_(step); }
  void release(std::span<const int32_t>) override {}

 private:
  ModelTraits traits_;
  Scores scores_;
};

inline std::vector<NBest> search_by(int64_t vocabulary, FunctionModel::Scores scores,
                                    std::vector<Request> requests,
                                    const EngineOptions& options = {},
                                    const OnStablePrefix& on_stable_prefix = {}) {
  FunctionModel model(vocabulary, std::move(scores));
  return search(model, std::move(requests), options, on_stable_prefix);
}

using Prefix = std::vector<int32_t>;

class PrefixModel : public StepModel {
 public:
  PrefixModel(int64_t vocabulary, uint64_t seed) : traits_(test_traits(vocabulary)), seed_(seed) {
    traits_.can_drop_rows = true;
  }

  std::vector<float> logits(const Prefix& prefix) const {
    uint64_t stream = 1;
    for (const int32_t id : prefix) stream = stream * 1000003 + static_cast<uint64_t>(id) + 7;
    RandomStream random(seed_, stream);
    std::vector<float> out;
    for (int64_t v = 0; v < traits_.target_vocabulary; ++v)
      out.push_back(2 * static_cast<float>(random.normal()));
    return out;
  }

  const ModelTraits& traits() const override { return traits_; }
  void reset() override { sources_.clear(); }
  void begin(std::span<const NewRequest> requests) override {
    for (const auto& [slot, request] : requests) {
      const auto number = static_cast<size_t>(slot);
      if (number >= sources_.size()) sources_.resize(number + 1, -1);
      sources_[number] = request->source.front();
      prompts_[number] = {request->source.front()};
    }
  }
  Tensor prefill(const PromptRows& prompts) override {
    std::vector<Prefix> scored;
    int64_t row = 0;
    for (size_t i = 0; i < prompts.slots.size(); ++i) {
      Prefix& prompt = prompts_.at(static_cast<size_t>(prompts.slots[i]));
      for (; row < prompts.segments.end(static_cast<int64_t>(i)); ++row) {
        prompt.push_back(prompts.ids[row]);
        if (std::ranges::count(prompts.scored, row) > 0) scored.push_back(prompt);
      }
    }
    prompt_rows += row;
    return scored.empty() ? Tensor() : scores_of(scored);
  }
  int64_t share_prompt(int32_t from, int32_t to, int64_t count) override {
    const Prefix& prompt = prompts_.at(static_cast<size_t>(from));
    const auto begun = std::min(count, std::ssize(prompt) - 1);
    prompts_.at(static_cast<size_t>(to)).assign(prompt.begin(), prompt.begin() + 1 + begun);
    shared_rows += begun;
    return begun;
  }
  void keep_hypothesis(int32_t slot) override {
    const auto number = static_cast<size_t>(slot);
    prompts_.at(number) = in_slots_.at(number).at(0);
  }
  void drop_rows(int32_t slot, int64_t count) override {
    Prefix& prompt = prompts_.at(static_cast<size_t>(slot));
    prompt.resize(prompt.size() - static_cast<size_t>(count));
    dropped_rows += count;
  }
  void release(std::span<const int32_t> slots) override {
    for (const int32_t slot : slots) sources_.at(static_cast<size_t>(slot)) = -1;
  }
  Tensor step(const Step& step) override {
    std::vector<Prefix> next;
    for (size_t s = 0; s < step.counts.size(); ++s) {
      for (int32_t i = 0; i < step.counts[s]; ++i) {
        const size_t w = next.size();
        next.push_back(step.parents[w] < 0
                           ? prompts_.at(s)
                           : in_slots_.at(s).at(static_cast<size_t>(step.parents[w])));
        next.back().push_back(step.ids[w]);
      }
      if (step.counts[s] > 0) in_slots_[s].assign(next.end() - step.counts[s], next.end());
    }
    prefixes_ = next;
    ++steps;
    rows += std::ssize(prefixes_);
    return scores_of(prefixes_);
  }

  // Of each row of the last step: source, begin symbol, tokens.
  const std::vector<Prefix>& prefixes() const { return prefixes_; }
  // The source in each slot, -1 where it is free.
  const std::vector<int32_t>& sources() const { return sources_; }

  int64_t steps = 0;
  int64_t rows = 0;  // computed in all steps
  int64_t prompt_rows = 0, shared_rows = 0, dropped_rows = 0;

 private:
  Tensor scores_of(const std::vector<Prefix>& prefixes) const {
    std::vector<float> all;
    for (const Prefix& prefix : prefixes) {
      const std::vector<float> row = logits(prefix);
      all.insert(all.end(), row.begin(), row.end());
    }
    return Tensor::from(all, {std::ssize(prefixes), traits_.target_vocabulary});
  }

  ModelTraits traits_;
  uint64_t seed_;
  std::vector<int32_t> sources_;
  std::vector<Prefix> prefixes_;
  std::map<size_t, Prefix> prompts_;                // of each slot, with the source
  std::map<size_t, std::vector<Prefix>> in_slots_;  // of each slot's last step
};

inline std::vector<double> log_softmax(const std::vector<float>& logits) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(double{x});
  std::vector<double> out;
  for (const float x : logits) out.push_back(double{x} - std::log(sum));
  return out;
}

struct Oracle {
  const PrefixModel& model;
  const Request& request;

  double score(double log_probability, size_t length) const {
    return request.beam.penalty.score(log_probability, static_cast<int64_t>(length));
  }

  // Every hypothesis, the best first.
  NBest all() const {
    NBest out;
    visit({request.source.front(), kModelBegin}, 0, out);
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return out;
  }

  Hypothesis greedy() const {
    Prefix prefix{request.source.front(), kModelBegin};
    Hypothesis out;
    for (int64_t step = 1; step <= request.length_limit; ++step) {
      const std::vector<double> next = log_softmax(model.logits(prefix));
      const auto best = std::max_element(next.begin(), next.end());
      const auto id = static_cast<int32_t>(best - next.begin());
      out.log_probability += *best;
      out.score = score(out.log_probability, static_cast<size_t>(step));
      if (id == kModelEnd) return out;
      out.tokens.push_back(id);
      prefix.push_back(id);
    }
    out.ended = false;
    return out;
  }

 private:
  void visit(const Prefix& prefix, double log_probability, NBest& out) const {
    const std::vector<int32_t> tokens(prefix.begin() + 2, prefix.end());
    if (std::ssize(tokens) == request.length_limit) {
      out.push_back({tokens, log_probability, score(log_probability, tokens.size()), false});
      return;
    }
    const std::vector<double> next = log_softmax(model.logits(prefix));
    for (int32_t v = 0; v < std::ssize(next); ++v) {
      const double sum = log_probability + next[static_cast<size_t>(v)];
      if (v == kModelEnd) {
        out.push_back({tokens, sum, score(sum, tokens.size() + 1), true});
        continue;
      }
      Prefix longer = prefix;
      longer.push_back(v);
      visit(longer, sum, out);
    }
  }
};

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_PREFIX_MODEL_H_
