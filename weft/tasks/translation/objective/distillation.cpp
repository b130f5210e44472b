#include "weft/tasks/translation/objective/distillation.h"

#include "weft/ops/fused/distillation_loss.h"
#include "weft/tasks/translation/length_limits.h"

namespace weft::tasks {
namespace {

class Distillation final : public PassLoss {
 public:
  Distillation(model_file::TranslatorSession teacher, const DistillationOptions& options)
      : teacher_(std::move(teacher)), weight_(options.weight), temperature_(options.temperature) {}

  ops::Loss operator()(const Pass& p, const nn::Context& context) const override {
    const nn::Context inference;
    const models::Seq2Seq& model = teacher_.model;
    const Tensor teacher_states = model.states(p.part.batch, inference);
    return ops::distillation_loss({p.states, p.model.decoder.projection()},
                                  {teacher_states, model.decoder.projection()}, p.targets(),
                                  {.truth = p.truth, .share = weight_, .temperature = temperature_},
                                  context.tape);
  }
  void check_lengths(const data::Corpus& corpus) const override {
    tasks::check_lengths(corpus, teacher_.model.options, "--teacher", "its --max-positions");
  }

 private:
  model_file::TranslatorSession teacher_;
  double weight_, temperature_;
};

}  // namespace

std::unique_ptr<const PassLoss> DistillationOptions::make(
    const model_file::TranslatorSession& student) const {
  model_file::TranslatorSession session = model_file::load<model_file::TranslatorSession>(teacher);
  model_file::check_vocabularies(student, session, teacher, "the student");
  if (!session.model.options.is_left_to_right()) {
    fail<OptionError>(
        "--teacher",
        "{} is a model of --generation {}, which has no distribution given the previous "
        "tokens; expected a model of --generation left-to-right",
        teacher, session.model.options.generation.name());
  }
  return std::make_unique<const Distillation>(std::move(session), *this);
}

}  // namespace weft::tasks
