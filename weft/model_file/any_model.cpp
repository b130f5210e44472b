#include "weft/model_file/any_model.h"

#include "weft/model_file/gguf/gguf_model.h"
#include "weft/model_file/hugging_face/folder.h"

namespace weft::model_file {

bool is_foreign_model(const std::string& path) { return is_model_folder(path) || is_gguf(path); }

std::unique_ptr<ForeignModel> open_foreign_model(const std::string& path, std::string_view kind) {
  if (is_gguf(path)) return std::make_unique<GgufModel>(path);
  return std::make_unique<HuggingFaceModel>(path, kind);
}

std::string kind_of_model(const std::string& path) {
  return is_foreign_model(path) ? open_foreign_model(path)->kind() : ModelFile(path).kind();
}

}  // namespace weft::model_file
