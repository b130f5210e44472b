// Losses against a teacher, of rows of which only the first may have labels.
#ifndef WEFT_TASKS_DISTILLATION_TAUGHT_LOSS_H_
#define WEFT_TASKS_DISTILLATION_TAUGHT_LOSS_H_

#include "weft/ops/fused/distillation_loss.h"

namespace weft::tasks {

// A sum of losses on one tape.
class LossSum {
 public:
  explicit LossSum(ops::Tape* tape) : tape_(tape) {}
  // `factor` is what of the weight in its value is no weight of rows.
  void add(const ops::Loss& loss, double factor = 1);
  const ops::Loss& loss() const { return sum_; }

 private:
  ops::Tape* tape_;
  ops::Loss sum_;
};

// Of logits y and z [N, C] of student and teacher: ops::distillation_loss() of the first rows, one
// for each target, and weight * T^2 KL(softmax(z / T), softmax(y / T)) of the others. The row
// weights are those of the first rows.
ops::Loss taught_loss(const Tensor& y, const Tensor& z, const ops::Ids& targets,
                      const ops::Distillation& params, ops::Tape* tape);

// weight * T^2 * the sum over rows of KL(softmax(z / T), softmax(y / T)), z without gradient.
ops::Loss teacher_loss(const Tensor& y, const Tensor& z, double temperature, double weight,
                       ops::Tape* tape);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_DISTILLATION_TAUGHT_LOSS_H_
