#include "weft/ops/fused/distillation_loss.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/loss.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/chunked_projection.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/losses/divergence.h"

namespace weft::ops {
namespace {

struct Losses {
  std::vector<double> truth, nll, teacher;  // [N]
};

void check(const Distillation& params) {
  if (!(params.share >= 0 && params.share <= 1)) {
    fail<OptionError>("distillation_loss", "share {} of the teacher; expected 0 to 1",
                      params.share);
  }
  if (!(params.temperature > 0)) {
    fail<OptionError>("distillation_loss", "temperature {}; expected more than 0",
                      params.temperature);
  }
}

void check(const Projected& student, const Projected& teacher, const Distillation& params) {
  check_shape("distillation_loss", "the teacher's states", teacher.states, student.states.rows(),
              -1);
  check_shape("distillation_loss", "the teacher's weight", teacher.by.weight,
              student.by.weight.rows(), -1);
  check(params);
}

double teacher_factor(const Distillation& params) {
  return params.share * params.temperature * params.temperature;
}

// Logits of rows from `begin` on, and where the student's gradient goes, if anywhere.
struct Chunk {
  int64_t begin;
  const int32_t* targets;
  Logits y, z, d_y;
};

void run_chunk(const Distillation& params, const Chunk& c, Losses& out) {
  const int64_t begin = c.begin;
  const float* weights = data_of(params.truth.row_weights, begin);
  const auto& backend = backend_of(c.y.chunk);
  const kernels::View d = c.d_y.chunk ? c.d_y.chunk.view() : kernels::View{};
  backend(kernels::SoftmaxLoss{.x = c.y.chunk,
                               .targets = c.targets + begin,
                               .smoothing = params.truth.smoothing,
                               .weight = params.truth.weight * (1 - params.share),
                               .loss = out.truth.data() + begin,
                               .nll = out.nll.data() + begin,
                               .d_x = d,
                               .kind = params.truth.kind,
                               .row_weights = weights});
  backend(kernels::Divergence{.x = c.y.chunk,
                              .z = c.z.chunk,
                              .temperature = params.temperature,
                              .weight = params.truth.weight * teacher_factor(params),
                              .row_weights = weights,
                              .loss = out.teacher.data() + begin,
                              .d_x = d,
                              .d_z = {}});
}

// The teacher's logits in the student's type.
Logits as_type(Logits z, DType type) {
  if (z.filled.dtype() == type) return z;
  const int64_t width = z.chunk.cols();
  z.filled = z.filled.to(type);
  z.chunk = z.filled.col_range(0, width);
  return z;
}

}  // namespace

Loss distillation_loss_composite(const Projected& student, const Projected& teacher,
                                 const Ids& targets, const Distillation& params, Tape* tape) {
  check(student, teacher, params);
  const Tensor y = project_composite(student.states, student.by, tape);
  return distillation_loss(y, project_composite(teacher.states, teacher.by, nullptr), targets,
                           params, tape);
}

Loss distillation_loss(const Tensor& y, const Tensor& teachers, const Ids& targets,
                       const Distillation& params, Tape* tape) {
  check(params);
  Tensor z = teachers;
  z.node = autograd::kConstant;
  if (z.dtype() != y.dtype()) z = z.to(y.dtype());
  CrossEntropy truth = params.truth;
  truth.weight *= 1 - params.share;
  const Loss hard = cross_entropy(y, targets, truth, tape);
  const Loss soft = divergence(y, z,
                               {.temperature = params.temperature,
                                .weight = params.truth.weight * teacher_factor(params),
                                .row_weights = params.truth.row_weights},
                               tape);
  Loss sum;
  sum.total = (1 - params.share) * hard.total + teacher_factor(params) * soft.total;
  sum.nll = hard.nll;
  sum.value = add(hard.value, soft.value, tape);
  return sum;
}

Loss distillation_loss(const Projected& student, const Projected& teacher, const Ids& targets,
                       const Distillation& params, Tape* tape) {
  if (!fused_enabled()) return distillation_loss_composite(student, teacher, targets, params, tape);
  const Tensor& x = student.states;
  ChunkedProjection projection("distillation_loss", x, student.by);
  const ChunkedProjection teachers("distillation_loss", teacher.states, teacher.by);
  check(student, teacher, params);
  check_targets(targets, x.rows(), student.by.weight.rows());
  check_row_weights(params.truth.row_weights, x.rows());
  Tensor d_x;
  if (tape != nullptr) {
    d_x = Tensor::empty(x.shape(), x.dtype());
    projection.want_gradients(x.rows());
  }
  const std::vector<double> none(targets->size());
  Losses losses{none, none, none};
  projection.for_chunks(x.rows(), [&](int64_t begin, int64_t end) {
    const Tensor rows = x.row_range(begin, end);
    Chunk chunk{.begin = begin,
                .targets = targets->data(),
                .y = projection.logits(rows),
                .z = as_type(teachers.logits(teacher.states.row_range(begin, end)), x.dtype()),
                .d_y = {}};
    if (d_x) chunk.d_y = projection.zeros_like(chunk.y);
    run_chunk(params, chunk, losses);
    if (d_x) projection.back(chunk.d_y, rows, d_x.row_range(begin, end));
  });
  Loss sum;
  sum.total = (1 - params.share) * weighted_sum(losses.truth, params.truth.row_weights) +
              teacher_factor(params) * weighted_sum(losses.teacher, params.truth.row_weights);
  sum.nll = weighted_sum(losses.nll, nullptr);
  sum.value = Tensor::full({1, 1}, params.truth.weight * sum.total, sum_type(x.dtype()));
  projection.record(tape, sum.value, x, student.by, d_x);
  return sum;
}

}  // namespace weft::ops
