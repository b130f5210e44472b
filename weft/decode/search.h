// Beam search and sampling over several sentences at once.
#ifndef WEFT_DECODE_SEARCH_H_
#define WEFT_DECODE_SEARCH_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "weft/decode/beam.h"
#include "weft/decode/sampler.h"

namespace weft::decode {

// A sentence of the search and the place it takes until its search is over.
struct Entered {
  int32_t place;
  int32_t sentence;
};

// One step of every sentence that has a place: a row for each live hypothesis, place after place.
struct Step {
  std::span<const int32_t> ids;        // [W] the token that row w goes in with
  std::span<const int32_t> parents;    // [W] the row of the step before that it goes on from, or -1
  std::span<const int32_t> counts;     // rows of each place; 0 where none is at work
  std::span<const Entered> entered;    // those that begin with this step, by place: one row each
  SourceWeights* attention = nullptr;  // where not null, the model tells there what rows attend to
};

// Scores of the next token for each row of a step, [W, C]: a column for each token, or where the
// row's sentence has allowed ones, for each of those and then -inf. The search may overwrite them.
using StepModel = std::function<Tensor(const Step&)>;

// What is known of the best hypothesis of a sentence while it is searched for.
struct Decided {
  int32_t sentence;
  std::span<const int32_t> tokens;  // that it begins with, whatever comes
  bool is_over;                     // it has no others
};
using OnDecided = std::function<void(const Decided&)>;

struct SearchOptions {
  BeamRules beam;
  int32_t begin_id = 0;                          // what the first step goes in with
  std::vector<int32_t> forbidden = {};           // tokens that no hypothesis may hold
  std::vector<LogitsProcessor> processors = {};  // in the order they act
  // Draws beam.size hypotheses at random, each by itself, in place of searching for the best.
  std::optional<Sampling> sampling = {};
  // Sentences at work at a time; one that is over gives its place to one that waits. 0: all.
  int64_t places = 0;
  // Called at each step for each sentence at work, where beam.kept is 1.
  OnDecided on_decided = {};
  // The model's scores are log-probabilities, or sums of them, and are not normalised again.
  bool is_normalised = false;
};

// What is asked of one sentence.
struct SentenceRules {
  std::vector<int32_t> prefix = {};  // tokens that its hypotheses begin with, whatever is forbidden
  uint64_t stream = 0;               // random numbers of its own
  // The only tokens that its hypotheses may hold, among which each has its probability: rising, the
  // end symbol and those of the prefix among them. All where there is none.
  std::span<const int32_t> allowed = {};
  Constraints constraints = {};  // what they have to hold; not where hypotheses are drawn
};

// The best hypotheses of each sentence; limits[s] >= 1 is the most tokens sentence s may have, end
// symbol included; `rules` has one entry for each sentence, or none. Equal scores fall to the
// earlier hypothesis, then to the lower token id, so that a sentence's result does not depend on
// the others. Throws NumericError when the model's scores are not finite.
std::vector<NBest> search(const StepModel& model, std::span<const int64_t> limits,
                          const SearchOptions& options, std::span<const SentenceRules> rules = {});

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_H_
