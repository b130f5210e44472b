#include "weft/tasks/classification/model_start.h"

#include <algorithm>

#include "weft/tasks/training_checks.h"

namespace weft::tasks {

ClassificationStart ClassifierStart::for_input() const {
  if (encoder) return {.tokeniser = encoder->tokeniser};
  if (!whole) return {};
  return {.tokeniser = whole->text.tokeniser, .labels = whole->labels(), .numbers = whole->numbers};
}

void ClassifierStart::give_weights(model_file::ClassifierSession& session) {
  if (encoder) encoder->copy_to(std::get<models::TextEncoder>(session.model.encoder));
  if (whole) {
    std::copy_n(whole->parameters.data<float>(), whole->parameters.size(),
                session.parameters.data<float>());
  }
  encoder.reset();
  whole.reset();
}

ClassifierStart start_of(const ClassificationOptions& options) {
  ClassifierStart out{.model = options.model};
  const StartOptions& start = options.start;
  if (!start.is_used()) return out;
  const bool is_classifier =
      model_file::kind_of_model(start.from) == model_file::ClassifierSession::kKind;
  if (is_classifier && !start.new_head) {
    model_file::ClassifierSession session = model_file::load_any_classifier(start.from);
    if (!session.model.options.is_text()) {
      fail<OptionError>(start.from, "is a classifier of --input {}; expected one of text",
                        session.model.options.input.name());
    }
    out.whole = with_layers(std::move(session), start.take_layers);
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
