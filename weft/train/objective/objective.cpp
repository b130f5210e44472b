#include "weft/train/objective/objective.h"

#include "weft/ops/fused/distillation_loss.h"
#include "weft/ops/fused/paired_loss.h"
#include "weft/ops/fused/projection_loss.h"

namespace weft::train {

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

Objective::Objective(const ObjectiveOptions& options, const infer::Session& student)
    : options_(options), kind_(ops::make_loss_kind(options.loss)) {
  options.validate();
  if (options.sampling.is_on()) sampling_.emplace(options.sampling);
  if (options.teacher.empty()) return;
  teacher_ = std::make_shared<const infer::Session>(infer::load_model(options.teacher));
  infer::check_vocabularies(student, *teacher_, options.teacher);
}

Tensor Objective::states(const models::Seq2Seq& model, const Portion& p,
                         nn::Context& context) const {
  return sampling_ ? sampling_->states(model, p.batch, p.first_sentence, p.update, context)
                   : model.states(p.batch, p.first_sentence, context);
}

ops::Loss Objective::operator()(const models::Seq2Seq& model, const Portion& p,
                                nn::Context& context) const {
  const ops::CrossEntropy truth{.smoothing = options_.label_smoothing,
                                .weight = p.weight,
                                .kind = kind_,
                                .row_weights = p.row_weights};
  const ops::Ids targets = ops::make_ids(p.batch.target().ids);
  const Tensor x = states(model, p, context);
  if (teacher_ != nullptr) {
    nn::Context inference;
    const models::Seq2Seq& teacher = teacher_->model;
    const Tensor z = teacher.states(p.batch, p.first_sentence, inference);
    return ops::distillation_loss({x, model.projection()}, {z, teacher.projection()}, targets,
                                  {.truth = truth,
                                   .share = options_.teacher_weight,
                                   .temperature = options_.teacher_temperature},
                                  context.tape);
  }
  if (options_.r_drop > 0) {
    nn::Context second = context;
    second.pass += 1;
    second.site = 0;
    const Tensor again = model.states(p.batch, p.first_sentence, second);
    return ops::paired_loss({x, again}, model.projection(), targets,
                            {.truth = truth, .alpha = options_.r_drop}, context.tape);
  }
  return ops::projection_loss(x, model.projection(), targets, truth, context.tape);
}

}  // namespace weft::train
