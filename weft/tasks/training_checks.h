// Checks of training options that several tasks share.
#ifndef WEFT_TASKS_TRAINING_CHECKS_H_
#define WEFT_TASKS_TRAINING_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/models/encoders/encoder.h"
#include "weft/nn/transformer/options.h"
#include "weft/options/option_table.h"
#include "weft/train/options.h"

namespace weft::tasks {

// Throws OptionError if there are no training files; `expected` says what of: "labelled text".
void check_train_sets(const std::vector<std::string>& files, std::string_view expected);
// Throws OptionError for layers whose buffers all rows of a batch update: several ranks have a part
// of them each.
void check_ranks(const nn::TransformerOptions& layers);
// Throws OptionError for averages of weights where layers have running statistics.
void check_averages(const train::TrainOptions& training, const nn::TransformerOptions& layers);
// Throws OptionError for --gradient-checkpointing of another network; `type` is the name of --type.
void check_gradient_checkpointing(const train::TrainOptions& training, bool is_transformer,
                                  std::string_view type);
// Throws OptionError for `--pooling first` of an encoder whose first state does not depend on all
// rows.
void check_first_pooling(const models::EncoderOptions& encoder);
// Throws OptionError for an option of validation that is set without --valid-sets: --valid-...,
// --early-stopping and `other`.
template <class Options>
void check_validation_unset(const Options& o, std::string_view other = "") {
  if (!o.validation.valid_sets.empty()) return;
  const auto is_read = [other](std::string_view name) {
    return !name.starts_with("valid-") && name != "early-stopping" && name != other;
  };
  options::check_unread(o, is_read, "without --valid-sets");
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRAINING_CHECKS_H_
