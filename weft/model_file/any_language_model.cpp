#include "weft/model_file/any_language_model.h"

#include "weft/core/error.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"
#include "weft/model_file/peft/read_peft.h"

namespace weft::model_file {

bool is_foreign_model(const std::string& path) { return is_model_folder(path) || is_gguf(path); }

LanguageModelSession import_language_model(const std::string& path) {
  if (is_model_folder(path)) return HuggingFaceModel(path).load<LanguageModelSession>();
  return GgufModel(path).load<LanguageModelSession>();
}

LanguageModelSession load_any_language_model(const std::string& path, Precision precision) {
  if (is_gguf(path)) return GgufModel(path).load_packed<LanguageModelSession>(precision);
  return load_file_or_folder<LanguageModelSession>(path, precision);
}

LanguageModelSession load_any_language_model(const std::string& path) {
  return is_foreign_model(path) ? import_language_model(path) : load<LanguageModelSession>(path);
}

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
