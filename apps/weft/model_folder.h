// Models that are a file of Weft or a folder of Hugging Face Transformers.
#ifndef APPS_WEFT_MODEL_FOLDER_H_
#define APPS_WEFT_MODEL_FOLDER_H_

#include <filesystem>

#include "apps/weft/model_options.h"
#include "weft/model_file/hugging_face/folder.h"

namespace weft::app {

// Throws what model_file::load_packed() and HuggingFaceModel throw.
template <class Session>
Session load_file_or_folder(const ModelOptions& model) {
  std::error_code none;
  if (!std::filesystem::is_directory(model.path, none)) return model.load<Session>();
  return model_file::HuggingFaceModel(model.path, Session::kKind)
      .template load_packed<Session>(model.weights());
}

}  // namespace weft::app

#endif  // APPS_WEFT_MODEL_FOLDER_H_
