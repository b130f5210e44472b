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

}  // namespace weft::app
