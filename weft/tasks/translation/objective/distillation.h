// Word-level knowledge distillation (Hinton et al. 2015, arXiv 1503.02531; Kim and Rush 2016, arXiv
// 1606.07947).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_DISTILLATION_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_DISTILLATION_H_

#include <string>
#include <vector>

#include "weft/tasks/distillation/options.h"
#include "weft/tasks/translation/objective/kind.h"

namespace weft::tasks {

// The target is a mixture of the truth and a teacher's distribution
// (weft/ops/fused/distillation_loss.h).
struct DistillationOptions : SoftTeacherOptions {
  static constexpr std::string_view kOption = "--teacher";
  static constexpr ObjectiveLimits kLimits = {
      .generation = "predicts each token from the previous ones",
      .hint = "train on the teacher's translations instead (Kim and Rush 2016)",
      .needs_entropy = true};

  template <class V>
  void fields(V& v) {
    teacher_field(v,
                  "model file with the same vocabularies for word-level knowledge distillation "
                  "(Hinton et al. 2015, arXiv 1503.02531; Kim and Rush 2016)");
    weight_field(v);
    temperature_field(v);
  }
  std::vector<std::string> files() const { return {teacher}; }
  // Loads the teacher. Throws the errors of load(), and OptionError if its vocabularies
  // differ from the student's or it is not left-to-right.
  std::unique_ptr<const PassLoss> make(const model_file::TranslatorSession& student) const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_DISTILLATION_H_
