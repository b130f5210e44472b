// What --from names, as a tagger starts from it.
#ifndef WEFT_TASKS_TAGGING_MODEL_START_H_
#define WEFT_TASKS_TAGGING_MODEL_START_H_

#include <optional>

#include "weft/model_file/any_encoder.h"
#include "weft/tasks/tagging/options.h"

namespace weft::tasks {

struct TaggerStart {
  models::TaggerOptions model;  // of the new model
  // One of them has weights:
  std::optional<model_file::PretrainedEncoder> encoder = {};
  std::optional<model_file::TaggerSession> whole = {};  // goes on with its heads

  // Null without --from.
  data::TokeniserPtr tokeniser() const;
  // Throws FormatError, naming `files`, for labels of training that the heads lack, and OptionError
  // for another number of columns.
  void check_labels(const data::LabelledFields& fields, const std::vector<data::LabelSet>& training,
                    const std::string& files) const;
  // Gives the new model the weights, which are then no longer kept here. A training that resumes
  // replaces them.
  void give_weights(model_file::TaggerSession& session);
};

// Without --from there are the options alone. Throws what model_file::load_encoder() throws, and
// OptionError for options that contradict the model.
TaggerStart start_of(const TaggingOptions& options);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TAGGING_MODEL_START_H_
