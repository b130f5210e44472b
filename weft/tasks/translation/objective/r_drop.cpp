#include "weft/tasks/translation/objective/r_drop.h"

#include "weft/ops/fused/paired_loss.h"

namespace weft::tasks {
namespace {

class RDrop final : public PassLoss {
 public:
  explicit RDrop(double alpha) : alpha_(alpha) {}

  ops::Loss operator()(const Pass& p, const nn::Context& context) const override {
    nn::Context second = context;
    second.pass += 1;
    second.statistics = nullptr;  // recorded by the first pass
    const Tensor again = p.model.states(p.part.batch, second);
    return ops::paired_loss({p.states, again}, p.model.decoder.projection(), p.targets(),
                            {.truth = p.truth, .alpha = alpha_}, context.tape);
  }

 private:
  double alpha_;
};

bool has_dropout(const models::Seq2SeqOptions& o) {
  return o.is_transformer() ? o.encoder.transformer.has_dropout() : o.encoder.recurrent.dropout > 0;
}

}  // namespace

void RDropOptions::check(const models::Seq2SeqOptions& model) const {
  if (has_dropout(model)) return;
  fail<OptionError>(
      "--r-drop", "has no effect without dropout; expected {} above 0",
      model.is_transformer() ? "--transformer-dropout or another dropout" : "--dropout-rnn");
}

std::unique_ptr<const PassLoss> RDropOptions::make(const model_file::TranslatorSession&) const {
  return std::make_unique<const RDrop>(alpha);
}

}  // namespace weft::tasks
