// The tensors and the metadata of a GGUF file.
#ifndef WEFT_MODEL_FILE_GGUF_GGUF_TENSORS_H_
#define WEFT_MODEL_FILE_GGUF_GGUF_TENSORS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/core/files/mapped_file.h"
#include "weft/formats/gguf.h"
#include "weft/model_file/foreign/fields.h"
#include "weft/model_file/foreign/tensors.h"

namespace weft::model_file {

class GgufTensors final : public ForeignTensors {
 public:
  // Maps the file. Throws FileError, FormatError.
  explicit GgufTensors(const std::string& path);

  const std::string& path() const { return path_; }
  const Json& metadata() const { return contents_.metadata; }
  // Frees it: the tokens and merges of a tokeniser take several times their bytes in the file.
  void drop_metadata() { contents_.metadata = {}; }

  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return by_name_.contains(name); }
  const std::string& path_of(const std::string&) const override { return path_; }
  Shape shape(const std::string& name) const override;
  kernels::PackedType type(const std::string& name) const override;
  std::string_view type_name(const std::string& name) const override {
    return formats::layout_of(tensor(name).type).name;
  }
  int64_t bytes(const std::string& name) const override { return std::ssize(tensor(name).data); }
  Tensor float32(const std::string& name) const override;
  std::string_view blocks(const std::string& name) const override { return tensor(name).data; }
  void release(const std::string& name) const override;

 private:
  const formats::GgufTensor& tensor(const std::string& name) const {
    return contents_.tensors[by_name_.at(name)];
  }

  std::string path_;
  std::shared_ptr<const MappedFile> file_;
  formats::GgufContents contents_;
  std::map<std::string, size_t> by_name_;
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_GGUF_TENSORS_H_
