// What the objectives of translation have in common. An objective is a struct of options in the
// list of objective.h:
//   kOption    the option that turns it on
//   kLimits    what it does not support
//   fields(v)  its options; is_on(), whether they turn it on
//   make(student) the loss of a pass, given the model to train
// and, if needed, check(model), which throws OptionError for a model that does not fit, and
// files(), the paths of input files that influence updates.
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_KIND_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_KIND_H_

#include <memory>

#include "weft/data/corpus/corpus.h"
#include "weft/model_file/translator.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/options/fields.h"
#include "weft/train/task.h"

namespace weft::tasks {

// What an objective does not support, each with the reason, which follows its option in an error.
struct ObjectiveLimits {
  const char* generation;          // another --generation than left-to-right
  const char* hint = nullptr;      // what to do with another --generation
  const char* sampling = nullptr;  // --scheduled-sampling; null if it is supported
  bool needs_entropy = false;      // supports --loss cross-entropy and kl only
};

// A forward pass: the decoder states at the targets of a micro-batch, and the loss of true targets.
struct Pass {
  const models::Seq2Seq& model;
  const train::MicroBatch& part;
  const Tensor& states;  // [N, D]
  ops::CrossEntropy truth;

  ops::Ids targets() const { return ops::make_ids(part.batch.target().ids); }
};

class PassLoss {
 public:
  virtual ~PassLoss() = default;
  // The loss [1, 1] of a pass, recorded on the context's tape.
  virtual ops::Loss operator()(const Pass& pass, const nn::Context& context) const = 0;
  // Throws OptionError for a corpus with a sentence pair that is too long.
  virtual void check_lengths(const data::Corpus&) const {}
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_KIND_H_
