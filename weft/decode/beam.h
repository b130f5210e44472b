// The beam of one sentence: its live hypotheses and those that have ended. It knows no model.
#ifndef WEFT_DECODE_BEAM_H_
#define WEFT_DECODE_BEAM_H_

#include <cstdint>
#include <vector>

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
// share the rest. At `limit` steps those still alive are taken as they are.
class Beam {
 public:
  // `rules` has to outlive the beam; limit >= 1.
  Beam(const BeamRules& rules, int64_t limit) : rules_(&rules), limit_(limit) {}

  // Live hypotheses, 1 at first and 0 when the search is over, the best first.
  int64_t width() const { return static_cast<int64_t>(live_.size()); }
  // The last token of live hypothesis i, after the first step.
  int32_t token(int64_t i) const { return nodes_[live_[i].node].token; }
  // The live hypothesis of the step before that live hypothesis i goes on from.
  int32_t parent(int64_t i) const { return live_[i].parent; }

  // Tokens of each live hypothesis, and those of the i-th.
  size_t steps() const { return static_cast<size_t>(steps_); }
  std::vector<int32_t> tokens(int64_t i) const { return spell(live_[i].node); }

  // Extends the live hypotheses: the i-th by the tokens of row first_row + i, whose attention is
  // wanted where coverage is.
  void advance(const NextTokens& tokens, int64_t first_row,
               const SourceWeights* attention = nullptr);

  // Where `kept` is 1, the tokens that the best hypothesis will begin with, whatever comes.
  std::vector<int32_t> decided() const;

  // The best `kept` hypotheses; call it once, when width() is 0. There is none where every token
  // is forbidden.
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
  };
  struct Candidate {
    double log_probability;
    int32_t parent;
    int32_t token;
    double own;  // log p of the token alone
  };

  void collect(const NextTokens& tokens, int64_t first_row);
  void end(const Live& live, bool ended);
  bool can_win(const Live& live) const;
  std::vector<int32_t> spell(int32_t node) const;
  std::vector<double> token_scores(int32_t node) const;

  const BeamRules* rules_;
  int64_t limit_;
  int64_t steps_ = 0;
  std::vector<Node> nodes_;
  std::vector<Live> live_{{-1, 0, 0, {}}};
  std::vector<Candidate> candidates_;
  NBest ended_;  // all of them, in order
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_BEAM_H_
