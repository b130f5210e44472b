#include "weft/tasks/classification/teacher.h"

#include "weft/core/error.h"
#include "weft/core/files/checksum.h"
#include "weft/model_file/any_encoder.h"
#include "weft/ops/losses/binary_cross_entropy.h"
#include "weft/ops/losses/regression.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/slice.h"
#include "weft/predict/classification/label_probabilities.h"
#include "weft/predict/classification/numbers.h"
#include "weft/tasks/distillation/taught_loss.h"

namespace weft::tasks {
namespace {

const data::Labels& labels_of(const TaughtExamples& examples) {
  return std::get<data::Labels>(examples.student.fields[1]);
}

// Logits y [B, C] of yes or no as those of two classes, y and 0, [B*C, 2].
Tensor two_classes(const Tensor& y, ops::Tape* tape) {
  const Tensor column = ops::reshape(y, {y.size(), 1}, tape);
  const Tensor first = Tensor::from(std::vector<float>{1, 0}, {1, 2}).to(y.dtype());
  return ops::matmul(column, first, {}, tape);
}

// Numbers of a teacher, [B, W], and its share of the loss.
struct NumberTeacher {
  Tensor taught;
  double share;
};

ops::Loss number_losses(const models::Classifier& student, const TaughtExamples& examples,
                        const models::ClassifierLoss& params, const NumberTeacher& teacher,
                        const nn::Context& context) {
  ops::Tape* const tape = context.tape;
  const auto& [taught, share] = teacher;
  const Tensor x = student.logits(examples.student.fields[0], context);  // [B, numbers]
  const int64_t labelled = examples.labelled;
  LossSum sum(tape);
  if (labelled > 0) {
    const Tensor first = ops::slice_rows(x, 0, labelled, tape);
    const Tensor truth = Tensor::from(labels_of(examples).values, first.shape());
    const double weight = params.weight * (1 - share);
    sum.add(params.huber > 0 ? ops::huber_error(first, truth, params.huber, weight, tape)
                             : ops::squared_error(first, truth, weight, tape),
            1 - share);
    sum.add(ops::squared_error(first, taught.row_range(0, labelled), params.weight * share, tape),
            share);
  }
  if (labelled < x.rows()) {
    sum.add(ops::squared_error(ops::slice_rows(x, labelled, x.rows(), tape),
                               taught.row_range(labelled, x.rows()), params.weight, tape));
  }
  return sum.loss();
}

}  // namespace

ClassifierTeacher::ClassifierTeacher(const ClassificationOptions& o)
    : weight_(o.teacher.weight),
      temperature_(o.teacher.temperature),
      session_(model_file::load_any_classifier(o.teacher.teacher)) {
  const models::ClassifierOptions& model = session_.model.options;
  if (!model.is_text()) {
    fail<OptionError>("--teacher", "{} is a classifier of --input {}; expected one of text",
                      o.teacher.teacher, model.input.name());
  }
  if (model.labels.name() != o.model.labels.name()) {
    fail<OptionError>("--teacher", "{} has --labels {}; expected {}, as the student",
                      o.teacher.teacher, model.labels.name(), o.model.labels.name());
  }
}

OtherReading ClassifierTeacher::reading() const {
  const models::ClassifierOptions& model = session_.model.options;
  return {.tokeniser = session_.text.tokeniser,
          .tokens = predict::token_params(model, 0),
          .capacity = model.table_capacity()};
}

uint64_t ClassifierTeacher::fingerprint() const {
  return checksum_of<float>(session_.parameters.span<float>());
}

ops::Loss ClassifierTeacher::one_label(const models::Classifier& student,
                                       const TaughtExamples& examples,
                                       const models::ClassifierLoss& params,
                                       const nn::Context& context) const {
  const std::vector<int32_t>& ids = labels_of(examples).ids;
  const Tensor z = session_.model.logits(examples.teacher.fields[0], {});  // [B, labels]
  return taught_loss(student.logits(examples.student.fields[0], context), z, ops::make_ids(ids),
                     {.truth = {.smoothing = params.smoothing,
                                .weight = params.weight,
                                .row_weights = models::example_weights(ids, params.label_weights)},
                      .share = weight_,
                      .temperature = temperature_},
                     context.tape);
}

ops::Loss ClassifierTeacher::several_labels(const models::Classifier& student,
                                            const TaughtExamples& examples,
                                            const models::ClassifierLoss& params,
                                            const nn::Context& context) const {
  ops::Tape* const tape = context.tape;
  const Tensor z = session_.model.logits(examples.teacher.fields[0], {});
  const Tensor y = student.logits(examples.student.fields[0], context);  // [B, labels]
  const int64_t labelled = examples.labelled;
  const double mean = 1 / static_cast<double>(y.cols());
  LossSum sum(tape);
  const auto learn = [&](int64_t begin, int64_t end, double share) {
    if (begin == end) return;
    const Tensor rows = two_classes(ops::slice_rows(y, begin, end, tape), tape);
    sum.add(teacher_loss(rows, two_classes(z.row_range(begin, end), nullptr), temperature_,
                         params.weight * mean * share, tape),
            mean * share);
  };
  if (labelled > 0) {
    data::Labels labels = labels_of(examples);
    labels.segments = labels.segments.slice(0, labelled);
    const ops::BinaryLoss truth = ops::binary_cross_entropy(
        ops::slice_rows(y, 0, labelled, tape), std::make_shared<const data::Labels>(labels),
        {.weight = params.weight * mean * (1 - weight_),
         .positive_weights = params.label_weights,
         .row_weights = {}},
        tape);
    ops::Loss loss{.value = truth.value};
    for (const double one : truth.losses) loss.total += one;
    sum.add(loss, mean * (1 - weight_));
  }
  learn(0, labelled, weight_);
  learn(labelled, y.rows(), 1);
  return sum.loss();
}

// All examples have labels.
ops::Loss ClassifierTeacher::sequences(const models::Classifier& student,
                                       const TaughtExamples& examples,
                                       const models::ClassifierLoss& params,
                                       const nn::Context& context) const {
  const data::Labels& labels = labels_of(examples);
  const auto theirs = session_.model.label_states(examples.teacher.fields[0], labels, {});
  const auto ours = student.label_states(examples.student.fields[0], labels, context);
  ops::Loss out = ops::distillation_loss(
      {ours.states, student.decoder.projection()},
      {theirs.states, session_.model.decoder.projection()}, ops::make_ids(ours.ids),
      {.truth = {.smoothing = params.smoothing, .weight = params.weight},
       .share = weight_,
       .temperature = temperature_},
      context.tape);
  out.nll = out.total;
  return out;
}

ops::Loss ClassifierTeacher::loss(const models::Classifier& student, const TaughtExamples& examples,
                                  const models::ClassifierLoss& params,
                                  const data::ChannelStatistics& numbers,
                                  const nn::Context& context) const {
  const models::ClassifierOptions& model = session_.model.options;
  if (model.has_one_label()) return one_label(student, examples, params, context);
  if (model.is_sequence()) return sequences(student, examples, params, context);
  if (!model.has_numbers()) return several_labels(student, examples, params, context);
  const Tensor z = session_.model.logits(examples.teacher.fields[0], {}).to(DType::kF32);
  predict::LabelScores scores{{z.span<float>().begin(), z.span<float>().end()}, z.cols()};
  data::Labels taught;
  taught.values = predict::in_units(std::move(scores), session_.numbers).values;
  taught = predict::standardised(std::move(taught), numbers);
  return number_losses(student, examples, params, {Tensor::from(taught.values, z.shape()), weight_},
                       context);
}

}  // namespace weft::tasks
