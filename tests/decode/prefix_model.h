// A model for searches whose scores are random numbers drawn by the whole prefix, and the searches
// it is checked against: all sentences there are, and the most probable token at each step.
#ifndef WEFT_TESTS_DECODE_PREFIX_MODEL_H_
#define WEFT_TESTS_DECODE_PREFIX_MODEL_H_

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "weft/core/random.h"
#include "weft/decode/search.h"

namespace weft::decode {

using Prefix = std::vector<int32_t>;

class PrefixModel {
 public:
  // Sentence s of a search is number first_sentence + s: what its scores are drawn by.
  PrefixModel(int64_t vocabulary, uint64_t seed, int32_t first_sentence = 0)
      : vocabulary_(vocabulary), seed_(seed), first_sentence_(first_sentence) {}

  std::vector<float> logits(const Prefix& prefix) const {
    uint64_t stream = 1;
    for (const int32_t id : prefix) stream = stream * 1000003 + static_cast<uint64_t>(id) + 7;
    RandomStream random(seed_, stream);
    std::vector<float> out;
    for (int64_t v = 0; v < vocabulary_; ++v)
      out.push_back(2 * static_cast<float>(random.normal()));
    return out;
  }

  Tensor operator()(const Step& step) {
    std::vector<Prefix> next;
    std::map<size_t, int32_t> sentences;
    for (const Entered& e : step.entered) sentences[e.place] = e.sentence;
    for (size_t p = 0; p < step.counts.size(); ++p) {
      for (int32_t i = 0; i < step.counts[p]; ++i) {
        const size_t w = next.size();
        next.push_back(step.parents[w] < 0 ? Prefix{first_sentence_ + sentences.at(p)}
                                           : prefixes_[static_cast<size_t>(step.parents[w])]);
        next.back().push_back(step.ids[w]);
      }
    }
    prefixes_ = next;
    ++steps;
    rows += std::ssize(prefixes_);
    std::vector<float> all;
    for (const Prefix& prefix : prefixes_) {
      const std::vector<float> row = logits(prefix);
      all.insert(all.end(), row.begin(), row.end());
    }
    return Tensor::from(all, {std::ssize(prefixes_), vocabulary_});
  }

  // Of each row of the last step: sentence, begin symbol, tokens.
  const std::vector<Prefix>& prefixes() const { return prefixes_; }

  int64_t steps = 0;
  int64_t rows = 0;  // computed in all steps

 private:
  int64_t vocabulary_;
  uint64_t seed_;
  int32_t first_sentence_;
  std::vector<Prefix> prefixes_;
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
  const SearchOptions& options;
  int64_t limit;

  double score(double log_probability, size_t length) const {
    return options.beam.penalty.score(log_probability, static_cast<int64_t>(length));
  }

  // Every hypothesis of a sentence, the best first.
  NBest all(int32_t sentence) const {
    NBest out;
    visit({sentence, options.begin_id}, 0, out);
    std::stable_sort(out.begin(), out.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    return out;
  }

  Hypothesis greedy(int32_t sentence) const {
    Prefix prefix{sentence, options.begin_id};
    Hypothesis out;
    for (int64_t step = 1; step <= limit; ++step) {
      const std::vector<double> next = log_softmax(model.logits(prefix));
      const auto best = std::max_element(next.begin(), next.end());
      const auto id = static_cast<int32_t>(best - next.begin());
      out.log_probability += *best;
      out.score = score(out.log_probability, static_cast<size_t>(step));
      if (id == options.beam.end_id) return out;
      out.tokens.push_back(id);
      prefix.push_back(id);
    }
    out.ended = false;
    return out;
  }

 private:
  void visit(const Prefix& prefix, double log_probability, NBest& out) const {
    const std::vector<int32_t> tokens(prefix.begin() + 2, prefix.end());
    if (std::ssize(tokens) == limit) {
      out.push_back({tokens, log_probability, score(log_probability, tokens.size()), false});
      return;
    }
    const std::vector<double> next = log_softmax(model.logits(prefix));
    for (int32_t v = 0; v < std::ssize(next); ++v) {
      const double sum = log_probability + next[static_cast<size_t>(v)];
      if (v == options.beam.end_id) {
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
