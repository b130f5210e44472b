#include "weft/tasks/task_options.h"

#include "weft/core/error.h"

namespace weft::tasks {

void PretrainedOptions::validate() const {
  const PretrainedOptions plain;
  require_option(!model.empty() || parts.empty(), "--pretrained-parts", "needs --pretrained-model");
  require_option(!model.empty() || vocabs == plain.vocabs, "--pretrained-vocabs",
                 "needs --pretrained-model");
}

void TaskOptions::validate(const TrainOptions& defaults) const {
  pretrained.validate();
  TrainOptions::validate(defaults);
}

}  // namespace weft::tasks
