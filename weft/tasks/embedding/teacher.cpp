#include "weft/tasks/embedding/teacher.h"

#include "weft/core/error.h"
#include "weft/core/files/checksum.h"
#include "weft/model_file/any_encoder.h"
#include "weft/ops/losses/regression.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rows/unit_rows.h"
#include "weft/ops/slice.h"
#include "weft/tasks/distillation/taught_loss.h"

namespace weft::tasks {
namespace {

// Of the k texts of each of B examples, rows x [B * k, E], the first: [B, E].
Tensor first_texts(const Tensor& x, int64_t examples, ops::Tape* tape) {
  const int64_t width = x.size() / examples;  // k * E
  return ops::slice_cols(ops::reshape(x, {examples, width}, tape), 0, x.cols(), tape);
}

// weight * the sum over rows of |x - z|^2.
ops::Loss distance(const Tensor& x, const Tensor& z, double weight, ops::Tape* tape) {
  const auto width = static_cast<double>(x.cols());
  ops::Loss out = ops::squared_error(x, z, weight * width, tape);
  out.total *= width;
  return out;
}

}  // namespace

EmbedderTeacher::EmbedderTeacher(const EmbedderTeacherOptions& options, int64_t together)
    : path_(options.teacher),
      weight_(options.weight),
      together_(together),
      session_(model_file::load_any_embedder(path_)) {}

uint64_t EmbedderTeacher::fingerprint() const {
  return checksum_of<float>(session_.parameters.span<float>());
}

void EmbedderTeacher::check_width(int64_t student) const {
  if (session_.model.width() == student) return;
  fail<OptionError>("--teacher",
                    "{} makes vectors of {} numbers and the student of {}; expected as many; hint: "
                    "--dense-sizes {} in a new student, or one that --take-layers takes of the "
                    "teacher",
                    path_, session_.model.width(), student, session_.model.width());
}

ops::Loss EmbedderTeacher::loss(const Tensor& x, const TaughtExamples& examples,
                                const EmbeddingObjective& objective, double weight,
                                ops::Tape* tape) const {
  const int64_t size = examples.student.size(), labelled = examples.labelled;  // B
  const Tensor u = ops::unit_rows(x, tape);
  const Tensor v =
      ops::unit_rows(embedding_vectors(session_.model, examples.teacher, together_, {}), nullptr);
  const int64_t texts = x.rows() / size, middle = labelled * texts;  // k
  LossSum sum(tape);
  if (labelled > 0) {
    const double share = weight_ / static_cast<double>(texts);
    sum.add(embedding_loss(ops::slice_rows(x, 0, middle, tape),
                           data::slice(examples.student, 0, labelled), objective,
                           weight * (1 - weight_), tape),
            1 - weight_);
    sum.add(
        distance(ops::slice_rows(u, 0, middle, tape), v.row_range(0, middle), weight * share, tape),
        share);
  }
  if (labelled < size) {
    const int64_t others = size - labelled;
    sum.add(distance(first_texts(ops::slice_rows(u, middle, x.rows(), tape), others, tape),
                     first_texts(v.row_range(middle, x.rows()), others, nullptr), weight, tape));
  }
  return sum.loss();
}

}  // namespace weft::tasks
