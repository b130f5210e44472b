#include "weft/tasks/tagging/model_start.h"

#include <algorithm>

#include "weft/predict/tagging/tagger.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

data::TokeniserPtr TaggerStart::tokeniser() const {
  if (encoder) return encoder->tokeniser;
  return whole ? whole->assets.text.tokeniser : nullptr;
}

void TaggerStart::check_labels(const data::LabelledFields& fields,
                               const std::vector<data::LabelSet>& training,
                               const std::string& files) const {
  if (!whole) return;
  predict::check_columns(fields, *whole);
  for (size_t c = 0; c < training.size(); ++c) {
    check_known_labels(training[c], whole->labels()[c], files, "--from");
  }
}

void TaggerStart::give_weights(model_file::TaggerSession& session) {
  if (encoder) encoder->copy_to(session.model.encoder);
  if (whole) {
    std::copy_n(whole->parameters.data<float>(), whole->parameters.size(),
                session.parameters.data<float>());
  }
  encoder.reset();
  whole.reset();
}

TaggerStart start_of(const TaggingOptions& options) {
  TaggerStart out{.model = options.model};
  const StartOptions& start = options.start;
  if (!start.is_used()) return out;
  const bool is_tagger = model_file::kind_of_model(start.from) == model_file::TaggerSession::kKind;
  if (is_tagger && !start.new_head) {
    out.whole = with_layers(model_file::load_any_tagger(start.from), start.take_layers);
    out.model = options.gone_on_from(out.whole->model.options);
  } else {
    out.encoder = with_layers(model_file::load_encoder(start.from), start.take_layers);
    out.model = options.started_from(out.encoder->encoder.options);
  }
  out.model.check();
  const models::EncoderOptions& encoder = out.model.encoder;
  check_averages(options, encoder.transformer);
  check_gradient_checkpointing(options, encoder.is_transformer(), encoder.type.name());
  return out;
}

}  // namespace weft::tasks
