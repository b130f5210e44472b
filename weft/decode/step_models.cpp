#include "weft/decode/step_models.h"

#include "weft/core/error.h"
#include "weft/decode/ensemble.h"

namespace weft::decode {

DecoderSteps decoder_steps(const models::Seq2Seq& model) {
  const ModelTraits traits{.source_vocabulary = model.dims.source_vocab,
                           .target_vocabulary = model.dims.target_vocab,
                           .source_capacity = model.options.source_capacity(),
                           .target_capacity = model.options.target_capacity(),
                           .trained_lengths = model.dims.trained_lengths,
                           .begin_id = static_cast<int32_t>(model.dims.begin_id),
                           .end_id = static_cast<int32_t>(model.dims.end_id),
                           .has_attention = model.has_attention(),
                           .can_drop_rows = !model.decoder.layers.keeps_state()};
  return {model.decoder, traits,
          [&model](const data::Tokens& sources) { return model.encode(sources, {}); }};
}

DecoderSteps decoder_steps(const models::LanguageModel& model, std::optional<DType> cache_type) {
  const models::LanguageModelDims& dims = model.dims;
  const ModelTraits traits{.reads_source = false,
                           .target_vocabulary = dims.vocab,
                           .target_capacity = model.options.capacity(),
                           .begin_id = static_cast<int32_t>(dims.begin_id),
                           .end_id = static_cast<int32_t>(dims.end_ids.front()),
                           .can_drop_rows = !model.decoder.layers.keeps_state()};
  return {model.decoder, traits, {}, cache_type};
}

void check_ensemble(const Models& models, std::span<const double> weights) {
  if (!weights.empty() && weights.size() != models.size()) {
    fail<OptionError>("--weights", "expected one for each of {} models, got {}", models.size(),
                      weights.size());
  }
  if (models.size() == 1) return;
  for (const models::Seq2Seq* model : models) {
    if (model->options.is_left_to_right()) continue;
    fail<OptionError>("--model",
                      "one of several is of --generation {}, and models translate together token "
                      "by token; expected one model, or all left-to-right",
                      model->options.generation.name());
  }
}

std::unique_ptr<StepModel> step_model(const Models& models, std::span<const double> weights) {
  check_ensemble(models, weights);
  if (!models.front().options.is_left_to_right()) {
    fail<OptionError>("engine", "the model is of --generation {}; expected left-to-right",
                      models.front().options.generation.name());
  }
  if (models.size() == 1 && weights.empty())
    return std::make_unique<DecoderSteps>(decoder_steps(models.front()));
  std::vector<Member> members;
  for (const models::Seq2Seq* model : models) {
    const double weight = weights.empty() ? 1 : weights[members.size()];
    members.push_back({.model = step_model(*model), .weight = weight});
  }
  return std::make_unique<Ensemble>(std::move(members));
}

}  // namespace weft::decode
