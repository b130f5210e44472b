#include "weft/tasks/translation/objective/objective.h"

#include <fmt/core.h>

#include "weft/models/seq2seq/non_autoregressive.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/options/option_table.h"

namespace weft::tasks {

void ObjectiveOptions::validate() const {
  options::check_scopes(*this);
  sampling.validate();
  std::string_view on;  // the objective that is on
  each([&]<class Kind>(const Kind& kind) {
    if (!kind.is_on()) {
      options::check_unread(
          kind, [](std::string_view) { return false; }, fmt::format("without {}", Kind::kOption));
      return;
    }
    require_option(on.empty(), Kind::kOption,
                   fmt::format("contradicts {}; expected one of them", on));
    on = Kind::kOption;
    if (Kind::kLimits.sampling == nullptr || !sampling.is_on()) return;
    fail<OptionError>(Kind::kOption, "contradicts --scheduled-sampling, {}; expected one of them",
                      Kind::kLimits.sampling);
  });
  require_option(!data_weighting.empty() || data_weighting_type.is<SentenceWeights>(),
                 "--data-weighting-type", "needs --data-weighting, files of weights");
}

std::vector<std::string> ObjectiveOptions::files() const {
  std::vector<std::string> out;
  each([&](const auto& kind) {
    if constexpr (requires { kind.files(); }) {
      if (kind.is_on()) out = kind.files();
    }
  });
  return out;
}

void check_objective(const ObjectiveOptions& o, const models::Seq2SeqOptions& model) {
  const ObjectiveOptions plain;
  require_option(model.predicts_length() || o.length_weight == plain.length_weight,
                 "--length-weight",
                 "needs a model that predicts lengths: --generation mask-predict, or parallel with "
                 "--length-from classifier");
  if (model.is_left_to_right()) {
    o.each([&](const auto& kind) {
      if constexpr (requires { kind.check(model); }) {
        if (kind.is_on()) kind.check(model);
      }
    });
    return;
  }
  const std::string generation(model.generation.name());
  o.each([&]<class Kind>(const Kind& objective) {
    if (!objective.is_on()) return;
    constexpr ObjectiveLimits kLimits = Kind::kLimits;
    fail<OptionError>(Kind::kOption, "{}; expected --generation left-to-right, got {}{}{}",
                      kLimits.generation, generation, kLimits.hint == nullptr ? "" : "; hint: ",
                      kLimits.hint == nullptr ? "" : kLimits.hint);
  });
  require_option(
      !o.sampling.is_on(), "--scheduled-sampling",
      "needs a decoder that reads the previous tokens; expected --generation left-to-right, got " +
          generation);
  require_option(
      !o.guidance.is_on(), o.guidance.option(),
      "needs a left-to-right decoder; expected --generation left-to-right, got " + generation);
  if (!model.is_ctc()) return;
  require_option(
      o.loss.is<CrossEntropyLoss>(), "--loss",
      fmt::format("--generation ctc defines its own loss; expected cross-entropy, got {}",
                  o.loss.name()));
  require_option(o.label_smoothing == 0, "--label-smoothing",
                 "--generation ctc has no single target per position to smooth; expected 0");
  require_option(o.data_weighting.empty(), "--data-weighting",
                 "--generation ctc does not support example weights; expected none");
}

Objective::Objective(const ObjectiveOptions& o, const model_file::TranslatorSession& student)
    : target_loss_{.smoothing = o.label_smoothing,
                   .kind = o.loss.visit([](const auto& loss) { return loss.kKind; })},
      length_weight_(o.length_weight) {
  o.validate();
  check_objective(o, student.model.options);
  if (o.sampling.is_on()) sampling_.emplace(o.sampling);
  if (o.guidance.is_on()) guidance_.emplace(o.guidance, student.model.options);
  o.each([&](const auto& kind) {
    if (kind.is_on()) kind_ = kind.make(student);
  });
}

void Objective::check_lengths(const data::Corpus& corpus) const {
  if (kind_) kind_->check_lengths(corpus);
}

ops::Loss Objective::operator()(const models::Seq2Seq& model, const train::MicroBatch& part,
                                const TargetWeights& weights, const nn::Context& context) const {
  ops::CrossEntropy truth = target_loss_;
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
  ops::Loss loss = kind_ ? (*kind_)(pass, context)
                         : ops::projection_loss(states, model.decoder.projection(), pass.targets(),
                                                truth, context.tape);
  if (guide.loss) {
    loss.value = ops::add(loss.value, guide.loss, context.tape);
    loss.total += guide.loss.item() / part.weight;
  }
  return loss;
}

}  // namespace weft::tasks
