#include "weft/tasks/labels/teacher_options.h"

#include "weft/tasks/labels/count.h"
#include "weft/tasks/presets.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

int64_t LabelTeacherOptions::count(const std::vector<std::string>& train_sets,
                                   const data::LabelledTextOptions& text, int64_t enough) const {
  const int64_t texts = train_sets.empty() ? 0 : count_texts(train_sets, text, enough);
  return texts + count_lines(unlabelled, enough - texts);
}

void LabelTeacherOptions::check(const std::vector<std::string>& train_sets) const {
  check_without_teacher(*this);
  if (unlabelled.empty()) return check_train_sets(train_sets, "labelled text");
  if (train_sets.empty()) check_teacher_weight(*this);
}

}  // namespace weft::tasks
