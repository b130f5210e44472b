// Models in any format that is read: files of Weft, folders of Transformers, GGUF.
#ifndef WEFT_MODEL_FILE_ANY_MODEL_H_
#define WEFT_MODEL_FILE_ANY_MODEL_H_

#include <memory>
#include <string>
#include <string_view>

#include "weft/model_file/foreign/foreign_model.h"
#include "weft/model_file/session.h"

namespace weft::model_file {

// Whether it is a folder, as Transformers has, or a GGUF file.
bool is_foreign_model(const std::string& path);

// Opens a folder of Transformers or a GGUF file. If a folder can be read as models of several kinds
// that include `kind`, it is read as `kind`. Throws what HuggingFaceModel and GgufModel throw.
std::unique_ptr<ForeignModel> open_foreign_model(const std::string& path,
                                                 std::string_view kind = {});

// The kind of a model, "embedder". Throws what ModelFile and open_foreign_model() throw.
std::string kind_of_model(const std::string& path);

// Loads a model with weights in F32, not packed. Throws what load() and open_foreign_model() throw.
template <class Session>
Session load_any(const std::string& path) {
  if (!is_foreign_model(path)) return load<Session>(path);
  return open_foreign_model(path, Session::kKind)->template load<Session>();
}

// Loads a model for inference, with matrices packed in the given precision. Throws the same.
template <class Session>
Session load_any_packed(const std::string& path, Precision precision) {
  if (!is_foreign_model(path)) return load_packed<Session>(path, precision);
  return open_foreign_model(path, Session::kKind)->template load_packed<Session>(precision);
}

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_ANY_MODEL_H_
