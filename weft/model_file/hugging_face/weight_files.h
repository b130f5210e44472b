// The tensors of a folder of Hugging Face Transformers: the first there is of model.safetensors,
// the shards that model.safetensors.index.json lists, pytorch_model.bin, and the shards that
// pytorch_model.bin.index.json lists. Or those of any file.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_WEIGHT_FILES_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_WEIGHT_FILES_H_

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "weft/formats/safetensors.h"
#include "weft/formats/torch/torch_file.h"
#include "weft/model_file/foreign/tensors.h"

namespace weft::model_file {

// A file of tensors in one of two formats: .safetensors, and else that of torch.save.
class WeightFile {
 public:
  // Throws what SafetensorsFile and TorchFile throw.
  explicit WeightFile(const std::string& path);

  const std::string& path() const;
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  Shape shape(const std::string& name) const;
  const std::string& dtype(const std::string& name) const;
  int64_t bytes(const std::string& name) const;
  Tensor float32(const std::string& name) const;
  void release(const std::string& name) const;
  // A text beside the tensors; "" where there is none.
  std::string metadata(const std::string& name) const;

 private:
  std::variant<formats::SafetensorsFile, formats::TorchFile> file_;
};

class WeightFiles final : public ForeignTensors {
 public:
  // Opens the files. Throws FileError for one that is missing; FormatError for a damaged one, an
  // index that names a file outside of the folder, and a tensor that is not in the file that the
  // index says, or in several.
  explicit WeightFiles(const std::string& folder);
  // The tensors of one file.
  explicit WeightFiles(const WeightFile& file);

  // Takes the tensors of another folder as well, with `prefix` before their names.
  void add_folder(const std::string& folder, const std::string& prefix);

  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return file_of_.contains(name); }
  const std::string& path_of(const std::string& name) const override;
  Shape shape(const std::string& name) const override;
  kernels::PackedType type(const std::string& name) const override;
  std::string_view type_name(const std::string& name) const override;
  int64_t bytes(const std::string& name) const override;
  Tensor float32(const std::string& name) const override;
  std::string_view blocks(const std::string&) const override { return {}; }
  void release(const std::string& name) const override;

 private:
  void add(const WeightFile& file);
  void open_shards(const std::string& folder);
  const WeightFile& file(const std::string& name) const { return files_.at(file_of_.at(name)); }
  const std::string& name_there(const std::string& name) const;

  std::string path_;  // of the file or the index
  std::map<std::string, WeightFile> files_;
  std::map<std::string, std::string> file_of_;     // by the name of the tensor
  std::map<std::string, std::string> name_there_;  // in the file, where it is another
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_WEIGHT_FILES_H_
