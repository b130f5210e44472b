#include "weft/model_file/any_language_model.h"

#include <filesystem>

#include "weft/core/error.h"
#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"

namespace weft::model_file {

LanguageModelSession load_any_language_model(const std::string& path, Precision precision) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  if (!is_folder && !is_gguf(path)) return load_packed<LanguageModelSession>(path, precision);
  if (is_folder) return HuggingFaceModel(path).load_packed<LanguageModelSession>(precision);
  return GgufModel(path).load_packed<LanguageModelSession>(precision);
}

}  // namespace weft::model_file
