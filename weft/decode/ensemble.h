// Several models at one search.
#ifndef WEFT_DECODE_ENSEMBLE_H_
#define WEFT_DECODE_ENSEMBLE_H_

#include <vector>

#include "weft/decode/search.h"

namespace weft::decode {

// One of the models, and how much it counts.
struct Member {
  StepModel model;
  double weight = 1;  // above 0
};

// A model whose scores are sum_i weight_i * log p_i over its members, as in Marian: log-probability
// where the weights sum up to 1, and in no case normalised again (SearchOptions::is_normalised).
class Ensemble {
 public:
  // One member at least.
  explicit Ensemble(std::vector<Member> members) : members_(std::move(members)) {}

  // [W, V]; attention is the first member's. Throws ShapeError where the members differ in V.
  Tensor operator()(const Step& step);

 private:
  std::vector<Member> members_;
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_ENSEMBLE_H_
