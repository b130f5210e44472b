// Checks of training options that several tasks share.
#ifndef WEFT_TASKS_TRAINING_CHECKS_H_
#define WEFT_TASKS_TRAINING_CHECKS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/data/text/vocabulary_options.h"
#include "weft/models/encoders/encoder.h"
#include "weft/nn/transformer/options.h"
#include "weft/options/option_table.h"
#include "weft/tasks/task_options.h"

namespace weft::tasks {

// Throws OptionError if there are no training files; `expected` says what of: "labelled text".
void check_train_sets(const std::vector<std::string>& files, std::string_view expected);
// Throws OptionError for layers with buffers that are updated from all rows of a batch, since each
// of several ranks has only a part of the rows.
void check_ranks(const nn::TransformerOptions& layers);
// Throws OptionError for averages of weights where layers have running statistics.
void check_averages(const train::TrainOptions& training, const nn::TransformerOptions& layers);
// Throws OptionError for --gradient-checkpointing of another network; `type` is the name of --type.
void check_gradient_checkpointing(const train::TrainOptions& training, bool is_transformer,
                                  std::string_view type);
// Whether an option of a model is of its training alone: dropout and stochastic depth.
bool is_dropout_option(std::string_view name);
// Throws OptionError for options that the file of --from fixes: those of the model unless
// `may_change`, of vocabularies, and of another source of weights.
template <class ModelOptions>
void check_beside_from(const ModelOptions& model, const data::VocabularyOptions& vocabularies,
                       const PretrainedOptions& pretrained,
                       bool (*may_change)(std::string_view name) = is_dropout_option) {
  constexpr std::string_view kWhen = "with --from";
  const auto none = [](std::string_view) { return false; };
  options::check_unread(model, may_change, kWhen);
  options::check_unread(vocabularies, none, kWhen);
  options::check_unread(pretrained, none, kWhen);
}
// The options of the layers in --from's file, `found`, with the dropout that is given.
nn::TransformerOptions with_dropout_of(nn::TransformerOptions found,
                                       const nn::TransformerOptions& given);
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
