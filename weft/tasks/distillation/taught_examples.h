// Examples as a student and its teacher read them.
#ifndef WEFT_TASKS_DISTILLATION_TAUGHT_EXAMPLES_H_
#define WEFT_TASKS_DISTILLATION_TAUGHT_EXAMPLES_H_

#include <algorithm>

#include "weft/data/joint_dataset.h"

namespace weft::tasks {

struct TaughtExamples {
  data::Batch student, teacher;
  int64_t labelled = 0;  // the first ones, which have labels

  // Of a batch of a JointDataset: the student's fields and then the teacher's. The first
  // `labelled_examples` of the data set have labels.
  TaughtExamples(const data::Batch& batch, size_t student_fields, int64_t labelled_examples) {
    data::JointBatch joint = data::split_joint(batch, student_fields);
    student = std::move(joint.first);
    teacher = std::move(joint.second);
    labelled = std::ranges::count_if(batch.examples,
                                     [=](int64_t example) { return example < labelled_examples; });
  }
};

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DISTILLATION_TAUGHT_EXAMPLES_H_
