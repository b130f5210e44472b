#include "weft/tasks/distillation/taught_loss.h"

#include "weft/ops/add.h"
#include "weft/ops/losses/divergence.h"
#include "weft/ops/slice.h"

namespace weft::tasks {

void LossSum::add(const ops::Loss& loss, double factor) {
  sum_.value = sum_.value ? ops::add(sum_.value, loss.value, tape_) : loss.value;
  sum_.total += factor * loss.total;
  sum_.nll = sum_.total;
  sum_.left_out += loss.left_out;
}

ops::Loss teacher_loss(const Tensor& y, const Tensor& teachers, double temperature, double weight,
                       ops::Tape* tape) {
  Tensor z = teachers.dtype() == y.dtype() ? teachers : teachers.to(y.dtype());
  z.node = autograd::kConstant;
  const double square = temperature * temperature;
  ops::Loss out =
      ops::divergence(y, z, {.temperature = temperature, .weight = weight * square}, tape);
  out.total *= square;
  return out;
}

ops::Loss taught_loss(const Tensor& y, const Tensor& z, const ops::Ids& targets,
                      const ops::Distillation& params, ops::Tape* tape) {
  const int64_t labelled = std::ssize(*targets);
  if (labelled == y.rows()) return ops::distillation_loss(y, z, targets, params, tape);
  LossSum sum(tape);
  if (labelled > 0) {
    sum.add(ops::distillation_loss(ops::slice_rows(y, 0, labelled, tape), z.row_range(0, labelled),
                                   targets, params, tape));
  }
  sum.add(teacher_loss(ops::slice_rows(y, labelled, y.rows(), tape),
                       z.row_range(labelled, y.rows()), params.temperature, params.truth.weight,
                       tape));
  return sum.loss();
}

}  // namespace weft::tasks
