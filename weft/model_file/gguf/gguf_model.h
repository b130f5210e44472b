// Models as GGUF, the files of llama.cpp.
#ifndef WEFT_MODEL_FILE_GGUF_GGUF_MODEL_H_
#define WEFT_MODEL_FILE_GGUF_GGUF_MODEL_H_

#include <string>
#include <string_view>

#include "weft/model_file/foreign/foreign_model.h"
#include "weft/model_file/gguf/architecture.h"
#include "weft/model_file/gguf/gguf_tensors.h"

namespace weft::model_file {

// Whether a file begins as GGUF does.
bool is_gguf(const std::string& path);

// A file opened for reading.
class GgufModel : public ForeignModel {
 public:
  // Reads all but the tensors. Throws FileError, or FormatError naming the file and the key or
  // tensor that is missing, unknown or not supported.
  explicit GgufModel(const std::string& path);

  std::string_view format() const override { return "GGUF"; }

 private:
  const ForeignTensors& tensors() const override { return tensors_; }
  NameMap names() const override {
    return architecture_->names(Json::parse(contents_.all_options()));
  }

  GgufTensors tensors_;
  const GgufArchitecture* architecture_;
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_GGUF_MODEL_H_
