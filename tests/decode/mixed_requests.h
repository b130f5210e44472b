// Requests with different options, for engines over small models.
#ifndef WEFT_TESTS_DECODE_MIXED_REQUESTS_H_
#define WEFT_TESTS_DECODE_MIXED_REQUESTS_H_

#include <vector>

#include "tests/decode/small_model.h"
#include "weft/decode/engine.h"

namespace weft::decode {

// Each of these changes a request that is new.
inline void set_option(int64_t which, Request& r) {
  switch (which) {
    case 0: r.beam = {.size = 4, .n_best = 4, .penalty = {PowerPenalty{1}}}; break;
    case 1: r.beam.size = 1; break;
    case 2: r.beam = {.size = 6, .penalty = {WuPenalty{0.6}}, .coverage_penalty = 0.3}; break;
    case 3:
      r.beam = {.size = 3, .n_best = 3};
      r.sampling =
          Sampling{.chain = {Typical{0.9}, Temperature{1.5}, TopK{9}, Xtc{0.5, 0.1}}, .stream = 4};
      break;
    case 4:
      r.prefix = {7, 8};
      r.forbidden = {kBegin, 8, 9};
      r.min_length = 5;
      break;
    case 5:
      r.allowed = {kEnd, 4, 5, 11, 12, 30, 41};
      r.beam.size = 2;
      break;
    case 6:
      r.constraints = Constraints(std::vector<Phrase>{{20, 21}, {33}});
      r.beam.size = 8;
      break;
    case 7:
      r.sampling = Sampling{.chain = {TopP{0.8}, MinP{0.02}}, .seed = 9};
      r.prefix = {30, 31, 32};
      r.beam.size = 1;
      break;
    case 8:
      r.processors = {RepetitionPenalty{1.4},
                      NoRepeatNgram{2},
                      BannedPhrases(std::vector<Phrase>{{5, 6}, {17}}),
                      LogitBias{{{7, -1.0F}}},
                      TokenPenalties{.repetition = 1.2, .frequency = 0.1},
                      Dry{{.multiplier = 0.5, .allowed_length = 1, .sequence_breakers = {}}, {}}};
      break;
    default: r.streams = true;
  }
}

// `count` requests of random sources: the first ten have all options, the next have them again.
inline std::vector<Request> mixed_requests(int64_t count) {
  const data::Tokens sources = random_sentences(count, 12);
  std::vector<Request> out(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    Request& r = out[static_cast<size_t>(i)];
    r.source.assign(sources[i].begin(), sources[i].end());
    r.length_limit = 7 + i % 9;
    set_option(i % 10, r);
  }
  return out;
}

// To the bit.
inline bool same_hypotheses(const NBest& a, const NBest& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.tokens == y.tokens && x.log_probability == y.log_probability && x.score == y.score &&
           x.ended == y.ended && x.token_scores == y.token_scores;
  });
}

}  // namespace weft::decode

#endif  // WEFT_TESTS_DECODE_MIXED_REQUESTS_H_
