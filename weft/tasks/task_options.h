// The options of every task beside those of its own: how it trains, and where its initial weights
// come from.
#ifndef WEFT_TASKS_TASK_OPTIONS_H_
#define WEFT_TASKS_TASK_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/train/options.h"

namespace weft::tasks {

// Initialisation from another model's weights.
struct PretrainedOptions {
  std::string model;
  std::vector<std::string> parts;
  std::string vocabs = "equal";

  template <class V>
  void fields(V& v) {
    v("pretrained-model", model,
      {.help =
           "model file to take initial weights from; it must have exactly the parameters of the "
           "new model, with the same shapes",
       .reads = true});
    v("pretrained-parts", parts,
      {.help = "take only these parameters from --pretrained-model, as patterns like those of "
               "--freeze: 'model.encoder.*'; the others are initialised at random"});
    v("pretrained-vocabs", vocabs,
      {.help = "vocabularies of --pretrained-model, if embeddings are taken from it: equal to "
               "those of the new model, or others of the same size, with tokens matched by id",
       .choices = "equal|by-id"});
  }

  // Throws OptionError for an option that requires another one.
  void validate() const;
};

struct TaskOptions : train::TrainOptions {
  PretrainedOptions pretrained;

  // The options of the loop, with those of initial weights among them.
  template <class V>
  void loop_fields(V& v) {
    loop.fields(v, pretrained);
  }

  // Throws OptionError for options that contradict each other; `defaults` are those of the task.
  void validate(const TrainOptions& defaults) const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TASK_OPTIONS_H_
