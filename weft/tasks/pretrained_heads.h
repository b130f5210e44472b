// Selects the attention heads of a pretrained model for a new model that prunes heads.
#ifndef WEFT_TASKS_PRETRAINED_HEADS_H_
#define WEFT_TASKS_PRETRAINED_HEADS_H_

#include <string>
#include <string_view>

#include "weft/nn/attention/pruning.h"
#include "weft/options/option_table.h"
#include "weft/tensor/tensor.h"

namespace weft::tasks {

// The heads of a model's attentions.
struct ModelHeads {
  int64_t count = 0;  // of each attention, pruned ones too
  nn::PruningOptions pruning = {};

  ModelHeads() = default;
  // Of the model with these options.
  explicit ModelHeads(const options::OptionTable& options);
};

// A parameter of a model by its name there.
struct ParameterOfModel {
  std::string_view name;
  const ModelHeads& heads;
};

// Returns the weight of the parameter `now`, with the heads that `now` has, from `weight`, that of
// the parameter `then`. Returns `weight` as it is if it does not belong to heads, or if the heads
// of the two models differ in more than pruning. Throws OptionError, with the file's path, if `now`
// has heads that `then` lacks.
Tensor select_heads(const Tensor& weight, const ParameterOfModel& then, const ParameterOfModel& now,
                    const std::string& path);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_PRETRAINED_HEADS_H_
