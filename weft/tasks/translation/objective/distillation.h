// Word-level knowledge distillation (Hinton et al. 2015, arXiv 1503.02531; Kim and Rush 2016, arXiv
// 1606.07947).
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_DISTILLATION_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_DISTILLATION_H_

#include <string>
#include <vector>

#include "weft/tasks/translation/objective/kind.h"

namespace weft::tasks {

// The target is a mixture of the truth and a teacher's distribution
// (weft/ops/fused/distillation_loss.h).
struct DistillationOptions {
  static constexpr std::string_view kOption = "--teacher";
  static constexpr ObjectiveLimits kLimits = {
      .generation = "predicts each token from the previous ones",
      .hint = "train on the teacher's translations instead (Kim and Rush 2016)",
      .needs_entropy = true};

  std::string teacher;
  double weight = 0.5;
  double temperature = 1;

  template <class V>
  void fields(V& v) {
    v("teacher", teacher,
      {.help =
           "model file with the same vocabularies for word-level knowledge distillation (Hinton "
           "et al. 2015, arXiv 1503.02531; Kim and Rush 2016)",
       .reads = true,
       .may_change = true});
    v("teacher-weight", weight,
      {.help = "weight of the teacher in the loss; the true target has the rest",
       .min = 0,
       .max = 1});
    v("teacher-temperature", temperature,
      {.help = "temperature of teacher and student in the distillation loss, which is multiplied "
               "by its square",
       .min = 0.01,
       .max = 1000});
  }
  bool is_on() const { return !teacher.empty(); }
  std::vector<std::string> files() const { return {teacher}; }
  // Loads the teacher. Throws the errors of load(), and OptionError if its vocabularies
  // differ from the student's or it is not left-to-right.
  std::unique_ptr<const PassLoss> make(const model_file::TranslatorSession& student) const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_DISTILLATION_H_
