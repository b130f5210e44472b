// Decoupled weight decay, for the optimisers that have it: a member `decay`.
#ifndef WEFT_TRAIN_OPTIM_WEIGHT_DECAY_H_
#define WEFT_TRAIN_OPTIM_WEIGHT_DECAY_H_

#include <string>

#include "weft/options/fields.h"

namespace weft::train {

struct WeightDecay {
  double rate = 0.01;
  std::string on = "matrices";

  template <class V>
  void fields(V& v) {
    v("weight-decay", rate,
      {.help = "weights -= x * learning rate * weights at each update", .min = 0, .max = 1});
    v("weight-decay-on", on,
      {.help = "what decays: matrices, without embeddings; all: embeddings, norms and biases too",
       .choices = "matrices|all"});
  }

  bool decays_all() const { return on == "all"; }
};

}  // namespace weft::train

#endif  // WEFT_TRAIN_OPTIM_WEIGHT_DECAY_H_
