#include "weft/tasks/translation/objective/objective.h"

#include "weft/models/non_autoregressive.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/distillation_loss.h"
#include "weft/ops/fused/paired_loss.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::tasks {
namespace {

ops::Ids targets_of(const Pass& pass) { return ops::make_ids(pass.part.batch.target().ids); }

}  // namespace

void ObjectiveOptions::validate() const {
  sampling.validate();
  const ObjectiveOptions plain;
  const bool is_entropy = loss == "cross-entropy" || loss == "kl";
  require_option(!teacher.empty() || teacher_weight == plain.teacher_weight, "--teacher-weight",
                 "needs --teacher, a model file");
  require_option(!teacher.empty() || teacher_temperature == plain.teacher_temperature,
                 "--teacher-temperature", "needs --teacher, a model file");
  require_option(teacher.empty() || is_entropy, "--teacher",
                 "uses the KL divergence from the teacher; expected --loss cross-entropy or kl");
  require_option(r_drop == 0 || is_entropy, "--r-drop",
                 "uses the KL divergence between two passes; expected --loss cross-entropy or kl");
  require_option(r_drop == 0 || teacher.empty(), "--r-drop",
                 "contradicts --teacher; expected one of them");
  require_option(
      r_drop == 0 || !sampling.is_on(), "--r-drop",
      "contradicts --scheduled-sampling, with which the two passes have different inputs; expected "
      "one of them");
  require_option(!data_weighting.empty() || data_weighting_type == plain.data_weighting_type,
                 "--data-weighting-type", "needs --data-weighting, files of weights");
}

ops::Loss TrueTargets::operator()(const Pass& p, const nn::Context& context) const {
  return ops::projection_loss(p.states, p.model.projection(), targets_of(p), p.truth, context.tape);
}

ops::Loss Teacher::operator()(const Pass& p, const nn::Context& context) const {
  nn::Context inference;
  const models::Seq2Seq& model = session->model;
  const Tensor teacher_states = model.states(p.part.batch, inference);
  return ops::distillation_loss(
      {p.states, p.model.projection()}, {teacher_states, model.projection()}, targets_of(p),
      {.truth = p.truth, .share = weight, .temperature = temperature}, context.tape);
}

ops::Loss RDrop::operator()(const Pass& p, const nn::Context& context) const {
  nn::Context second = context;
  second.pass += 1;
  second.statistics = nullptr;  // recorded by the first pass
  const Tensor again = p.model.states(p.part.batch, second);
  return ops::paired_loss({p.states, again}, p.model.projection(), targets_of(p),
                          {.truth = p.truth, .alpha = alpha}, context.tape);
}

void check_objective(const ObjectiveOptions& o, const models::Seq2SeqOptions& model) {
  const ObjectiveOptions plain;
  require_option(model.predicts_length() || o.length_weight == plain.length_weight,
                 "--length-weight",
                 "needs a model that predicts lengths: --generation mask-predict, or parallel with "
                 "--length-from classifier");
  if (model.is_left_to_right()) return;
  const std::string generation(model.generation.name()), kind = "--generation " + generation;
  require_option(
      o.teacher.empty(), "--teacher",
      "predicts each token from the previous ones, which " + kind +
          " does not have; hint: train on the teacher's translations instead (Kim and Rush 2016)");
  require_option(o.r_drop == 0, "--r-drop",
                 "compares two passes token by token; expected --generation left-to-right, "
                 "got " +
                     generation);
  require_option(
      !o.sampling.is_on(), "--scheduled-sampling",
      "needs a decoder that reads the previous tokens; expected --generation left-to-right, got " +
          generation);
  require_option(
      !o.guidance.is_on(), o.guidance.option(),
      "needs a left-to-right decoder; expected --generation left-to-right, got " + generation);
  if (!model.is_ctc()) return;
  require_option(o.loss == "cross-entropy", "--loss",
                 "--generation ctc defines its own loss; expected cross-entropy, got " + o.loss);
  require_option(o.label_smoothing == 0, "--label-smoothing",
                 "--generation ctc has no single target per position to smooth; expected 0");
  require_option(o.data_weighting.empty(), "--data-weighting",
                 "--generation ctc does not support example weights; expected none");
}

Objective::Objective(const ObjectiveOptions& o, const model_file::Session& student)
    : truth_{.smoothing = o.label_smoothing, .kind = ops::make_loss_kind(o.loss)},
      length_weight_(o.length_weight) {
  o.validate();
  check_objective(o, student.model.options);
  if (o.sampling.is_on()) sampling_.emplace(o.sampling);
  if (o.guidance.is_on()) guidance_.emplace(o.guidance, student.model.options);
  if (o.r_drop > 0) kind_ = RDrop{o.r_drop};
  if (o.teacher.empty()) return;
  const auto session =
      std::make_shared<const model_file::Session>(model_file::load_model(o.teacher));
  model_file::check_vocabularies(student, *session, o.teacher, "the student");
  if (!session->model.options.is_left_to_right()) {
    fail<OptionError>(
        "--teacher",
        "{} is a model of --generation {}, which has no distribution given the previous "
        "tokens; expected a model of --generation left-to-right",
        o.teacher, session->model.options.generation.name());
  }
  kind_ = Teacher{session, o.teacher_weight, o.teacher_temperature};
}

const model_file::Session* Objective::teacher() const {
  const auto* teacher = std::get_if<Teacher>(&kind_);
  return teacher == nullptr ? nullptr : teacher->session.get();
}

ops::Loss Objective::operator()(const models::Seq2Seq& model, const train::MicroBatch& part,
                                const TargetWeights& weights, const nn::Context& context) const {
  ops::CrossEntropy truth = truth_;
  truth.weight = part.weight;
  truth.row_weights = weights.rows;
  if (!model.options.is_left_to_right()) {
    return models::non_autoregressive_loss(model, part.batch, {truth, length_weight_}, context);
  }
  nn::AttentionGuide guide;
  if (guidance_) guide = guidance_->guide(part.batch, weights.links, part.weight, weights.rows);
  nn::ObserverPair observers(&guide, context.observer);
  nn::Context guided = context;
  guided.observer = guidance_ ? &observers : context.observer;
  const Tensor states = sampling_ ? sampling_->states(model, part.batch, part.update, guided)
                                  : model.states(part.batch, guided);
  const Pass pass{model, part, states, truth};
  ops::Loss loss = std::visit([&](const auto& kind) { return kind(pass, context); }, kind_);
  if (guide.loss) {
    loss.value = ops::add(loss.value, guide.loss, context.tape);
    loss.smoothed += guide.loss.item() / part.weight;
  }
  return loss;
}

}  // namespace weft::tasks
