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
#include "weft/nn/parameters.h"
#include "weft/options/json.h"

namespace weft::model_file {

// The data type of packed matrices and their products.
enum class Precision {
  kStored,  // as in the file
  kFloat32,
  kBFloat16,
  kInt8,  // with one scale per matrix row
};
// "auto", "float32", "bfloat16" or "int8"; throws OptionError for another name.
Precision precision_named(std::string_view name);

// Sets whether ModelFile verifies the checksum when opening a file, which reads the whole file. Off
// by default; process-wide.
void check_model_files(bool enabled);

// The version of the file format, which the options of every kind of model start with.
inline constexpr int64_t kFormatVersion = 2;

// Named bytes stored with the weights, such as "vocab.source".
struct Asset {
  std::string name;
  std::string bytes;
  std::string alias_of = {};  // the asset that has the same bytes; `bytes` is then empty
};

// A model file opened for reading. Its content is validated before use.
class ModelFile {
 public:
  // Maps the file. Throws FileError; FormatError for anything but a model file, for a later format
  // version, and, with check_model_files() on, for a checksum mismatch. A file without a checksum
  // then only causes a warning.
  explicit ModelFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const formats::SafetensorsFile& file() const { return file_; }
  // "seq2seq", "tagger"
  const std::string& kind() const { return kind_; }

  // Parses the options into a struct whose fields start with "format-version" and "type". Throws
  // FormatError for a file of another kind, naming both, and for invalid options.
  template <class Header>
  Header header(std::string_view kind) const {
    check_kind(kind);
    return options::options_from_json<Header>(options_, path());
  }

  // The bytes of an asset. Throws FormatError if there is none; `description` is used in the error
  // ("the vocabulary").
  std::string asset(const std::string& name, std::string_view description);
  bool has_asset(const std::string& name) const { return file_.has(name); }
  // The asset that `name` is an alias of; `name` if it is not an alias.
  std::string resolve_alias(const std::string& name) const;

  // Binds the parameters to the mapped memory if it holds them in F32 and visiting order, as
  // write() writes them; other types are converted to F32. Returns the flat buffer [P]. Throws
  // FormatError naming the tensor that is missing, unexpected or of the wrong shape. All assets
  // must have been read before.
  Tensor bind(const std::vector<nn::NamedParameter>& parameters) const;
  // All tensors except assets, as F32, by name: for a reader that takes some of them and does not
  // know the kind of the model.
  std::map<std::string, Tensor> tensors() const;
  const std::string& options() const { return options_; }  // JSON
  // For inference: packs the matrices in the given precision and releases the mapped memory.
  void pack(const std::vector<nn::NamedParameter>& parameters, Precision precision) const;

 private:
  void check_kind(std::string_view kind) const;
  Tensor widened(const std::string& name) const;  // as F32
  void check_tensors(const std::vector<nn::NamedParameter>& parameters) const;

  formats::SafetensorsFile file_;
  std::string options_;  // JSON
  std::string kind_;
  std::set<std::string> assets_;  // names passed to asset()
};

// Views of `weights` [P], which holds the parameters in visiting order.
formats::NamedTensors tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                 const Tensor& weights);
// The parameters' values with matrices rounded to `precision`, which must not be kStored.
formats::NamedTensors rounded_tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                         Precision precision);

// What a model file holds beside tensors.
struct Contents {
  std::string options;  // JSON
  std::vector<Asset> assets;
};

// Writes a model file atomically. Throws FileError.
void write(const std::string& path, const Contents& contents, formats::NamedTensors tensors);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MODEL_FILE_H_
