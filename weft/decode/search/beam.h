// The beam of one sentence: its live hypotheses and those that have ended. It knows no model.
#ifndef WEFT_DECODE_SEARCH_BEAM_H_
#define WEFT_DECODE_SEARCH_BEAM_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "weft/decode/search/constraints.h"
#include "weft/decode/search/coverage.h"
#include "weft/decode/search/hypothesis.h"
#include "weft/decode/search/length_penalty.h"
#include "weft/decode/search/next_tokens.h"
#include "weft/decode/search/stop_strings.h"

namespace weft::decode {

struct BeamOptions {
  int64_t size = 5;        // hypotheses, live and ended together
  int64_t n_best = 1;      // ended ones to return, at most `size`
  int64_t top_tokens = 0;  // that a hypothesis lists for each of its tokens, see Hypothesis
  LengthPenalty penalty = {};
  double coverage_penalty = 0;  // beta
  // Stop as soon as no live hypothesis can become one of the n_best. It changes no result, unless
  // processors raise logits: then a hypothesis's log-probability may rise.
  bool early_exit = true;
};

// As in Marian, a beam has `size` slots: a hypothesis that ends keeps its slot, the live ones share
// the rest. Hypotheses still alive after `limit` steps are returned as they are, and so they are
// when none has ended and every continuation is forbidden.
//
// With constraints a hypothesis may end once it holds all phrases (until then the caller forbids
// the end symbol: is_complete). Hypotheses are grouped by the number of tokens they still lack, and
// the beam is divided evenly among the groups; each hypothesis is also continued with the phrases
// it lacks (dynamic beam allocation: Post and Vilar 2018, arXiv 1804.06609). Hypotheses that can no
// longer hold all phrases by the limit come last.
class Beam {
 public:
  // What ends a hypothesis: these symbols, this many tokens (at least 1), or stop strings, if any.
  struct Ends {
    std::vector<int32_t> ids;
    int64_t limit = 1;
    const StopStrings* stop = nullptr;
  };
  // `options`, stop strings and `constraints` have to outlive the beam.
  Beam(const BeamOptions& options, Ends ends, const Constraints& constraints)
      : options_(&options), constraints_(&constraints), ends_(std::move(ends)) {
    live_.front().progress = constraints.start();
  }

  // The one live hypothesis becomes `count` equal ones.
  void copy_live(int64_t count) { live_.resize(static_cast<size_t>(count), live_.front()); }
  // Extends every live hypothesis by this token. `attention` is what its row attends to, or empty
  // without a coverage penalty. Ends the search where the model gives the token no probability.
  void force(int32_t token, double log_probability, std::span<const float> attention);

  // Live hypotheses, the best first: 1 at the start, 0 when the search is done.
  int64_t width() const { return static_cast<int64_t>(live_.size()); }
  // The last token of live hypothesis i, after the first step.
  int32_t token(int64_t i) const { return nodes_[live_[i].node].token; }
  // The live hypothesis of the previous step that live hypothesis i continues.
  int32_t parent(int64_t i) const { return live_[i].parent; }

  bool is_complete(int64_t i) const { return constraints_->missing(live_[i].progress) == 0; }

  // Tokens of each live hypothesis, and those of the i-th.
  size_t steps() const { return static_cast<size_t>(steps_); }
  std::vector<int32_t> tokens(int64_t i) const { return spell(live_[i].node); }

  // Extends the live hypotheses: the i-th by the tokens of row first_row + i. `attention` is that
  // of the same rows, or null without a coverage penalty.
  void advance(const NextTokens& tokens, int64_t first_row,
               const SourceWeights* attention = nullptr);

  // With n_best 1: the tokens that the best hypothesis will begin with.
  std::vector<int32_t> stable_prefix() const;

  // Every token of the search so far, in the order of its steps.
  const std::vector<SearchNode>& nodes() const { return nodes_; }

  // The n_best hypotheses, at least one; call it once, when width() is 0.
  NBest take();

 private:
  struct Live {
    int32_t node;
    int32_t parent;
    double log_probability;
    Coverage coverage = {};
    Constraints::Progress progress = {};
    std::optional<int64_t> stopped_at = {};  // see Hypothesis
  };
  struct Candidate {
    double log_probability;
    int32_t parent;
    int32_t token;
    double token_log_probability;
    int64_t missing = 0;  // tokens of the constraints that it lacks
  };

  static bool is_better(const Candidate& a, const Candidate& b);
  void collect(const NextTokens& tokens, int64_t first_row);
  void add_constrained(const NextTokens& tokens, int64_t first_row);
  void divide(size_t slots);
  enum class End { kSymbol, kStopString, kCutOff };

  bool is_end(int32_t token) const { return std::ranges::count(ends_.ids, token) > 0; }
  // The hypothesis that continues `before`, to `next` or to those that have ended.
  void extend(const Live& before, const Candidate& by, std::span<const float> attention,
              std::vector<Live>& next);
  void take_step(std::vector<Live> next);
  void finish(const Live& live, End end);
  void finish_all();
  bool can_win(const Live& live) const;
  // What get() gives of each node from the first token to this one.
  template <class Get>
  auto path(int32_t node, const Get& get) const;
  std::vector<int32_t> spell(int32_t node) const;
  std::vector<double> token_scores(int32_t node) const;
  std::vector<std::vector<ScoredToken>> top_tokens(int32_t node) const;

  const BeamOptions* options_;
  const Constraints* constraints_;
  Ends ends_;
  int64_t steps_ = 0;
  std::vector<SearchNode> nodes_;
  std::vector<std::vector<ScoredToken>> top_tokens_;  // of each node, where they are listed
  std::vector<Live> live_{{-1, 0, 0, {}, {}, {}}};
  std::vector<Candidate> candidates_;
  NBest ended_;  // all of them, the best first
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_BEAM_H_
