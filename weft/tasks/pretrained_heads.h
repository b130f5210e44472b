// The heads of a pretrained model that a model keeps which starts from it and prunes others.
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

// The weight of a parameter, of the heads that `now` has, from that of `then`; the weight as it is
// where it does not belong to heads, or the models' heads are not the same but for pruned ones.
// Throws OptionError, with the file's path, where `now` has heads that `then` lacks.
Tensor select_heads(const Tensor& weight, const ParameterOfModel& then, const ParameterOfModel& now,
                    const std::string& path);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_PRETRAINED_HEADS_H_
