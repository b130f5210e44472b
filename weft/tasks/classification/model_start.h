// What --from names, as a classifier starts from it.
#ifndef WEFT_TASKS_CLASSIFICATION_MODEL_START_H_
#define WEFT_TASKS_CLASSIFICATION_MODEL_START_H_

#include <optional>

#include "weft/model_file/any_encoder.h"
#include "weft/tasks/classification/input.h"

namespace weft::tasks {

struct ClassifierStart {
  models::ClassifierOptions model;  // of the new model
  // One of them has weights:
  std::optional<model_file::PretrainedEncoder> encoder = {};
  std::optional<model_file::ClassifierSession> whole = {};  // goes on with its head

  ClassificationStart for_input() const;
  // Gives the new model the weights, which are then no longer kept here. A training that resumes
  // replaces them.
  void give_weights(model_file::ClassifierSession& session);
};

// Without --from there are the options alone. Throws what model_file::load_encoder() throws, and
// OptionError for options that contradict the model.
ClassifierStart start_of(const ClassificationOptions& options);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_MODEL_START_H_
