#include "weft/tasks/translator_start.h"

#include "weft/model_file/any_model.h"
#include "weft/tasks/started_session.h"
#include "weft/tasks/training_checks.h"

namespace weft::tasks {

model_file::TranslatorSession translator_from(const std::string& path,
                                              const models::Seq2SeqOptions& given) {
  auto out = model_file::load_any<model_file::TranslatorSession>(path);
  models::Seq2SeqOptions options = out.model.options;
  options.encoder.transformer =
      with_dropout_of(options.encoder.transformer, given.encoder.transformer);
  set_options(out, options);
  return out;
}

}  // namespace weft::tasks
