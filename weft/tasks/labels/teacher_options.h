// The options of distillation of classifiers and taggers.
#ifndef WEFT_TASKS_LABELS_TEACHER_OPTIONS_H_
#define WEFT_TASKS_LABELS_TEACHER_OPTIONS_H_

#include <string>
#include <vector>

#include "weft/data/labels/labelled_text.h"
#include "weft/tasks/distillation/options.h"

namespace weft::tasks {

struct LabelTeacherOptions : SoftTeacherOptions {
  std::vector<std::string> unlabelled = {};

  template <class V>
  void fields(V& v) {
    options::group(v, "Distillation");
    teacher_field(v,
                  "model of the same labels, as a model file or a folder of Hugging Face "
                  "Transformers, whose distribution of labels, or whose numbers, are learned "
                  "beside those of the text (Hinton et al. 2015, arXiv 1503.02531); it reads the "
                  "text with its own tokeniser");
    weight_field(v);
    temperature_field(v);
    unlabelled_field(v, unlabelled,
                     "with --teacher, files of plain text without labels, a text a line, plain or "
                     ".gz, or - for standard input: more examples, of which the teacher's loss is "
                     "the only one, so that --train-sets may be left out; pairs of texts have a "
                     "tab between them");
  }

  // Examples of training with and without labels, `enough` at most.
  int64_t count(const std::vector<std::string>& train_sets, const data::LabelledTextOptions& text,
                int64_t enough) const;
  // Throws OptionError for options that contradict each other, and where there are no examples.
  void check(const std::vector<std::string>& train_sets) const;
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_LABELS_TEACHER_OPTIONS_H_
