#include "weft/train/objective/objective.h"

#include "weft/ops/add.h"
#include "weft/ops/fused/distillation_loss.h"
#include "weft/ops/fused/paired_loss.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::train {
namespace {

ops::Ids targets_of(const Pass& pass) { return ops::make_ids(pass.portion.batch.target().ids); }

}  // namespace

void ObjectiveOptions::validate() const {
  sampling.validate();
  const ObjectiveOptions plain;
  const auto needs = [](bool holds, const char* option, const char* what) {
    if (!holds) fail<OptionError>(option, "{}", what);
  };
  const bool is_entropy = loss == "cross-entropy" || loss == "kl";
  needs(!teacher.empty() || teacher_weight == plain.teacher_weight, "--teacher-weight",
        "needs --teacher, a model file");
  needs(!teacher.empty() || teacher_temperature == plain.teacher_temperature,
        "--teacher-temperature", "needs --teacher, a model file");
  needs(teacher.empty() || is_entropy, "--teacher",
        "a teacher's distribution is met in KL divergence; expected --loss cross-entropy or kl");
  needs(r_drop == 0 || is_entropy, "--r-drop",
        "two passes are compared in KL divergence; expected --loss cross-entropy or kl");
  needs(r_drop == 0 || teacher.empty(), "--r-drop",
        "draws two passes to each other, a teacher draws each of them elsewhere; expected one of "
        "--r-drop and --teacher");
  needs(r_drop == 0 || !sampling.is_on(), "--r-drop",
        "two passes that read other predictions do not compare; expected one of --r-drop and "
        "--scheduled-sampling");
  needs(!data_weighting.empty() || data_weighting_type == plain.data_weighting_type,
        "--data-weighting-type", "needs --data-weighting, files of weights");
}

ops::Loss TrueTargets::operator()(const Pass& p, nn::Context& context) const {
  return ops::projection_loss(p.states, p.model.projection(), targets_of(p), p.truth, context.tape);
}

ops::Loss Teacher::operator()(const Pass& p, nn::Context& context) const {
  nn::Context inference;
  const models::Seq2Seq& model = session->model;
  const Tensor theirs = model.states(p.portion.batch, p.portion.first_sentence, inference);
  return ops::distillation_loss(
      {p.states, p.model.projection()}, {theirs, model.projection()}, targets_of(p),
      {.truth = p.truth, .share = share, .temperature = temperature}, context.tape);
}

ops::Loss RDrop::operator()(const Pass& p, nn::Context& context) const {
  nn::Context second = context;
  second.pass += 1;
  second.site = 0;
  const Tensor again = p.model.states(p.portion.batch, p.portion.first_sentence, second);
  return ops::paired_loss({p.states, again}, p.model.projection(), targets_of(p),
                          {.truth = p.truth, .alpha = alpha}, context.tape);
}

Objective::Objective(const ObjectiveOptions& o, const infer::Session& student)
    : truth_{.smoothing = o.label_smoothing, .kind = ops::make_loss_kind(o.loss)} {
  o.validate();
  if (o.sampling.is_on()) sampling_.emplace(o.sampling);
  if (o.guidance.is_on()) guidance_.emplace(o.guidance, student.model.options);
  if (o.r_drop > 0) kind_ = RDrop{o.r_drop};
  if (o.teacher.empty()) return;
  const auto session = std::make_shared<const infer::Session>(infer::load_model(o.teacher));
  infer::check_vocabularies(student, *session, o.teacher);
  kind_ = Teacher{session, o.teacher_weight, o.teacher_temperature};
}

ops::Loss Objective::operator()(const models::Seq2Seq& model, const Portion& p,
                                nn::Context& context) const {
  nn::AttentionGuide guide;
  if (guidance_) {
    guide = guidance_->guide(p.batch, p.links, p.weight);
    context.guide = &guide;
  }
  const Tensor states = sampling_
                            ? sampling_->states(model, p.batch, p.first_sentence, p.update, context)
                            : model.states(p.batch, p.first_sentence, context);
  context.guide = nullptr;
  Pass pass{model, p, states, truth_};
  pass.truth.weight = p.weight;
  pass.truth.row_weights = p.row_weights;
  ops::Loss loss = std::visit([&](const auto& kind) { return kind(pass, context); }, kind_);
  if (guide.loss) {
    loss.value = ops::add(loss.value, guide.loss, context.tape);
  }
  return loss;
}

}  // namespace weft::train
