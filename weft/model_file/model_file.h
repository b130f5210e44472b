// A model of any kind as one file, a valid .safetensors: weights, options in the metadata, and the
// other assets that prediction needs (tokenisers, label sets). The options and assets of each kind
// of model are defined in a separate file of this folder.
#ifndef WEFT_MODEL_FILE_MODEL_FILE_H_
#define WEFT_MODEL_FILE_MODEL_FILE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weft/formats/safetensors.h"
#include "weft/model_file/contents.h"
#include "weft/model_file/precision.h"
#include "weft/model_file/stored_matrices.h"
#include "weft/nn/parameters.h"

namespace weft::model_file {

// Sets whether ModelFile verifies the checksum when opening a file, which reads the whole file. Off
// by default; process-wide.
void check_model_files(bool enabled);

// A model file opened for reading. Its content is validated before use.
class ModelFile final : public ContentsReader {
 public:
  // Maps the file. Throws FileError; FormatError for anything but a model file, for a later format
  // version, and, with check_model_files() on, for a checksum mismatch. A file without a checksum
  // then only causes a warning.
  explicit ModelFile(const std::string& path);

  const formats::SafetensorsFile& file() const { return file_; }

  std::string asset(const std::string& name, std::string_view description) override;
  bool has_asset(const std::string& name) const override { return file_.has(name); }
  std::string resolve_alias(const std::string& name) const override;

  // Binds the parameters to the mapped memory if it holds them in F32 and visiting order, as
  // write() writes them; other types are converted to F32. Returns the flat buffer [P]. Throws
  // FormatError naming the tensor that is missing, unexpected or of the wrong shape. All assets
  // must have been read before.
  Tensor bind(const std::vector<nn::NamedParameter>& parameters) const;
  // All tensors except assets, as F32, by name: for a reader that takes some of them and does not
  // know the kind of the model.
  std::map<std::string, Tensor> tensors() const;
  const std::string& options() const { return options_.front().json; }  // JSON
  // For inference: packs the matrices and releases the mapped memory.
  void pack(const std::vector<nn::NamedParameter>& parameters, Rounding rounding) const;

 private:
  void check_tensors(const std::vector<nn::NamedParameter>& parameters) const;

  formats::SafetensorsFile file_;
  std::set<std::string> assets_;  // names passed to asset()
};

// Views of `weights` [P], which holds the parameters in visiting order.
StoredMatrices tensors_of(const std::vector<nn::NamedParameter>& parameters, const Tensor& weights);
// The parameters' values with matrices rounded; the precision must not be kStored.
StoredMatrices rounded_tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                  Rounding rounding);

// Writes a model file atomically. Throws FileError.
void write(const std::string& path, const Contents& contents, StoredMatrices matrices);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MODEL_FILE_H_
