#include "weft/model_file/any_adapter.h"

#include "weft/core/error.h"
#include "weft/model_file/peft/read_peft.h"

namespace weft::model_file {

Adapter read_any_adapter(const std::string& path, LanguageModelSession& session) {
  return is_peft_folder(path) ? read_peft(path, session) : read_adapter(path);
}

void attach_adapter(LanguageModelSession& session, const std::string& path) {
  attach(nn::parameters_of(session.model), read_any_adapter(path, session), path);
}

void merge_adapter(LanguageModelSession& session) {
  const ModelParameters parameters = nn::parameters_of(session.model);
  session.parameters = session.parameters.clone();  // they may be mapped from a file
  nn::bind_to(parameters, session.parameters);
  nn::merge_low_rank(parameters);
}

}  // namespace weft::model_file
