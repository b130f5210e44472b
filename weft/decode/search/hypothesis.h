// The result of a search.
#ifndef WEFT_DECODE_SEARCH_HYPOTHESIS_H_
#define WEFT_DECODE_SEARCH_HYPOTHESIS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace weft::decode {

// Of tokens that were drafted for a hypothesis: all that were verified, and those that were right.
struct DraftCounts {
  int64_t drafted = 0, accepted = 0;
};

struct ScoredToken {
  double log_probability;
  int32_t token;
};

struct Hypothesis {
  std::vector<int32_t> tokens;  // without the end symbol; with those of a stop string
  double log_probability = 0;   // of all tokens, and of the end symbol or length, if predicted
  double score = 0;             // log_probability / length penalty + coverage penalty
  bool ended = true;            // false: cut off, without an end symbol or a stop string
  bool is_complete = true;      // false: it lacks phrases of the constraints
  bool is_finite = true;        // false: the model's scores are not numbers; there are no tokens
  // log p of each token, and of the end symbol where there is one; their sum is log_probability.
  std::vector<double> token_scores = {};
  // The most probable tokens in the place of each of these, with BeamOptions::top_tokens.
  std::vector<std::vector<ScoredToken>> top_tokens = {};
  // Where a stop string begins in the text of the tokens, in bytes, if one ended it.
  std::optional<int64_t> stopped_at = {};
  DraftCounts drafts = {};
};

// A token that a beam search kept for a step, and the one before it: together they are a tree. A
// node without a next one, other than an end symbol, was pruned, or the search was over.
struct SearchNode {
  int32_t token;
  int32_t parent;          // an earlier node, -1 at the first token
  double log_probability;  // of the token, given those before it
};

// Hypotheses of one request, the best score first; equal scores in the order they were found.
using NBest = std::vector<Hypothesis>;

// Tokens of the best hypothesis of a request that are known before the search is done.
struct StablePrefix {
  int64_t request;                  // its index
  std::span<const int32_t> tokens;  // the result begins with them, in any case
  bool is_finished;                 // they are all of it
};
using OnStablePrefix = std::function<void(const StablePrefix&)>;

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_HYPOTHESIS_H_
