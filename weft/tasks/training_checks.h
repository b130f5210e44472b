// What of training contradicts what layers a model has, whatever its task.
#ifndef WEFT_TASKS_TRAINING_CHECKS_H_
#define WEFT_TASKS_TRAINING_CHECKS_H_

#include <string_view>

#include "weft/nn/transformer/options.h"
#include "weft/train/options.h"

namespace weft::tasks {

// Throws OptionError for layers whose buffers all rows of a batch update: several ranks have a part
// of them each.
void check_ranks(const nn::TransformerOptions& layers);
// Throws OptionError for averages of weights where layers have running statistics.
void check_averages(const train::TrainOptions& training, const nn::TransformerOptions& layers);
// Throws OptionError for --gradient-checkpointing of another network; `type` is the name of --type.
void check_gradient_checkpointing(const train::TrainOptions& training, bool is_transformer,
                                  std::string_view type);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRAINING_CHECKS_H_
