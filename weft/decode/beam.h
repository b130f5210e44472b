// The beam of one sentence: its live hypotheses and those that have ended. It knows no model.
#ifndef WEFT_DECODE_BEAM_H_
#define WEFT_DECODE_BEAM_H_

#include <cstdint>
#include <vector>

#include "weft/decode/constraints.h"
#include "weft/decode/coverage.h"
#include "weft/decode/hypothesis.h"
#include "weft/decode/length_penalty.h"
#include "weft/decode/next_tokens.h"

namespace weft::decode {

// What the beams of one search share.
struct BeamRules {
  int64_t size = 5;  // hypotheses, live and ended together
  int64_t kept = 1;  // ended ones that are wanted in the end, at most `size`
  LengthPenalty penalty;
  double coverage_penalty = 0;  // beta
  int32_t end_id = 0;
  // Stop as soon as no live hypothesis can come among the kept ones. It changes no result.
  bool early_exit = true;
};

// As in Marian, a beam has `size` places: a hypothesis that ends keeps its place, the live ones
// share the rest. Those still alive are taken as they are at `limit` steps, and where none has
// ended and all that could follow is forbidden.
//
// With constraints a hypothesis may end once it holds all phrases (the caller forbids the end
// before: is_complete), and the places are dealt out evenly among hypotheses that lack as many
// tokens, in which each also goes on with the phrases it lacks (dynamic beam allocation: Post and
// Vilar 2018, arXiv 1804.06609). Those that could not hold all by the limit any more come last.
class Beam {
 public:
  static inline const Constraints kUnconstrained = {};

  // `rules` and `constraints` have to outlive the beam; limit >= 1.
  Beam(const BeamRules& rules, int64_t limit, const Constraints& constraints = kUnconstrained)
      : rules_(&rules), constraints_(&constraints), limit_(limit) {
    live_.front().progress = constraints.start();
  }

  // Live hypotheses, 1 at first and 0 when the search is over, the best first.
  int64_t width() const { return static_cast<int64_t>(live_.size()); }
  // The last token of live hypothesis i, after the first step.
  int32_t token(int64_t i) const { return nodes_[live_[i].node].token; }
  // The live hypothesis of the step before that live hypothesis i goes on from.
  int32_t parent(int64_t i) const { return live_[i].parent; }

  bool is_complete(int64_t i) const { return constraints_->missing(live_[i].progress) == 0; }

  // Tokens of each live hypothesis, and those of the i-th.
  size_t steps() const { return static_cast<size_t>(steps_); }
  std::vector<int32_t> tokens(int64_t i) const { return spell(live_[i].node); }

  // Extends the live hypotheses: the i-th by the tokens of row first_row + i, whose attention is
  // wanted where coverage is.
  void advance(const NextTokens& tokens, int64_t first_row,
               const SourceWeights* attention = nullptr);

  // Where `kept` is 1, the tokens that the best hypothesis will begin with, whatever comes.
  std::vector<int32_t> decided() const;

  // The best `kept` hypotheses, at least one; call it once, when width() is 0.
  NBest take();

 private:
  struct Node {
    int32_t token;
    int32_t before;  // node, -1 at the first token
    double log_probability;
  };
  struct Live {
    int32_t node;
    int32_t parent;
    double log_probability;
    Coverage coverage = {};
    Constraints::Progress progress = {};
  };
  struct Candidate {
    double log_probability;
    int32_t parent;
    int32_t token;
    double own;           // log p of the token alone
    int64_t missing = 0;  // tokens of the constraints
  };

  static bool is_better(const Candidate& a, const Candidate& b);
  void collect(const NextTokens& tokens, int64_t first_row);
  void add_wanted(const NextTokens& tokens, int64_t first_row);
  void deal_out(size_t places);
  void end(const Live& live, bool ended);
  void end_all();
  bool can_win(const Live& live) const;
  std::vector<int32_t> spell(int32_t node) const;
  std::vector<double> token_scores(int32_t node) const;

  const BeamRules* rules_;
  const Constraints* constraints_;
  int64_t limit_;
  int64_t steps_ = 0;
  std::vector<Node> nodes_;
  std::vector<Live> live_{{-1, 0, 0, {}, {}}};
  std::vector<Candidate> candidates_;
  NBest ended_;  // all of them, in order
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_BEAM_H_
