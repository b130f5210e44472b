#include "apps/weft/translation.h"

namespace weft::app {

std::vector<model_file::TranslatorSession> load_sessions(const TranslationOptions& options) {
  auto sessions = options.models.load<model_file::TranslatorSession>();
  for (size_t i = 1; i < sessions.size(); ++i) {
    model_file::check_vocabularies(sessions.front(), sessions[i], options.models.paths[i],
                                   "the first model");
  }
  return sessions;
}

predict::Translator make_translator(const std::vector<model_file::TranslatorSession>& sessions,
                                    const TranslationOptions& options) {
  return predict::make_translator(sessions, options.translator, options.models.weights());
}

}  // namespace weft::app
