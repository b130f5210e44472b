// The options of learning from another model, the teacher (Hinton et al. 2015, arXiv 1503.02531).
#ifndef WEFT_TASKS_DISTILLATION_OPTIONS_H_
#define WEFT_TASKS_DISTILLATION_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "weft/core/error.h"
#include "weft/options/option_table.h"

namespace weft::tasks {

struct TeacherOptions {
  std::string teacher;
  double weight = 0.5;

  bool is_on() const { return !teacher.empty(); }

  template <class V>
  void teacher_field(V& v, std::string_view help) {
    v("teacher", teacher, {.help = help, .reads = true, .may_change = true});
  }
  template <class V>
  void weight_field(V& v) {
    v("teacher-weight", weight,
      {.help = "weight of the teacher in the loss; the true target has the rest",
       .min = 0,
       .max = 1});
  }
};

// Of a teacher whose distributions are learned.
struct SoftTeacherOptions : TeacherOptions {
  double temperature = 1;

  template <class V>
  void temperature_field(V& v) {
    v("teacher-temperature", temperature,
      {.help = "temperature of teacher and student in the distillation loss, which is multiplied "
               "by its square",
       .min = 0.01,
       .max = 1000});
  }
};

template <class V>
void unlabelled_field(V& v, std::vector<std::string>& files, std::string_view help) {
  v("unlabelled", files, {.help = help, .reads = true, .may_change = true});
}

// Throws OptionError for options of distillation that are set without a teacher.
template <class Options>
void check_without_teacher(const Options& options) {
  if (options.is_on()) return;
  require_option(options.unlabelled.empty(), "--unlabelled",
                 "needs --teacher, a model whose output is learned on text without labels");
  options::check_unread(
      options, [](std::string_view) { return false; }, "without --teacher");
}

// Throws OptionError for a share of the teacher where no text has labels.
template <class Options>
void check_teacher_weight(const Options& options) {
  const auto is_read = [](std::string_view name) { return name != "teacher-weight"; };
  options::check_unread(options, is_read, "without --train-sets");
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DISTILLATION_OPTIONS_H_
