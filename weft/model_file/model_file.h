// A model of any kind as one file, a valid .safetensors: weights, options in the metadata, and the
// assets that prediction needs besides (tokenisers, label sets). Each kind of model has a file of
// its own beside this one that says what its options and assets are.
#ifndef WEFT_MODEL_FILE_MODEL_FILE_H_
#define WEFT_MODEL_FILE_MODEL_FILE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "weft/formats/options_json.h"
#include "weft/formats/safetensors.h"
#include "weft/nn/parameters.h"

namespace weft::model_file {

// The type that matrices are kept and multiplied in.
enum class Precision {
  kStored,  // as in the file
  kFloat32,
  kBFloat16,
  kInt8,  // a scale for each row of a matrix
};
// "auto", "float32", "bfloat16" or "int8"; throws OptionError for another name.
Precision precision_named(std::string_view name);

// Whether ModelFile reads the whole file first and compares it with its checksum. Off until it is
// switched on, for the whole process.
void check_model_files(bool checks);

// The members of the options that every kind of model has: its format and kind come first.
inline constexpr int64_t kFormatVersion = 2;

// Bytes beside the weights, by name: "vocab.source".
struct Asset {
  std::string name;
  std::string bytes;
  std::string alias_of = {};  // the asset whose bytes these are; then `bytes` is empty
};

// A model file that is open for reading. Nothing in it is believed before it is checked.
class ModelFile {
 public:
  // Maps the file. Throws FileError; FormatError for what is no model file, for a later format, and
  // where check_model_files() is on, for a changed byte. A file without a checksum is then read
  // with a warning.
  explicit ModelFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  // "seq2seq", "tagging"
  const std::string& kind() const { return kind_; }

  // The options, of a struct whose fields start with "format-version" and "type". Throws
  // FormatError for a file of another kind, naming both, and for options that cannot be read.
  template <class Header>
  Header header(std::string_view kind) const {
    check_kind(kind);
    return formats::options_from_json<Header>(options_, path());
  }

  // Throws FormatError where there is none; `what` says what it is, "the vocabulary".
  std::string asset(const std::string& name, std::string_view what);
  bool has_asset(const std::string& name) const { return file_.has(name); }
  // The name of the asset that this one shares its bytes with, or its own.
  std::string source_of(const std::string& name) const;

  // Binds the parameters to the file's own memory where they lie in it in F32 and visiting order,
  // as in every file that save() wrote; other types are widened. Returns the flat buffer [P].
  // Throws FormatError naming the tensor that is missing, superfluous or of the wrong shape; every
  // asset has to have been asked for before.
  Tensor bind(const std::vector<nn::NamedParameter>& parameters) const;
  // All tensors but assets, as F32, by name: for a reader that takes some of them and knows no kind
  // of model.
  std::map<std::string, Tensor> tensors() const;
  const std::string& options() const { return options_; }  // JSON
  // For inference alone: packs matrices in the given precision and releases the file's memory.
  void pack(const std::vector<nn::NamedParameter>& parameters, Precision precision) const;

 private:
  void check_kind(std::string_view kind) const;
  Tensor widened(const std::string& name) const;  // as F32
  void check_tensors(const std::vector<nn::NamedParameter>& parameters) const;

  formats::SafetensorsFile file_;
  std::string options_;  // JSON
  std::string kind_;
  std::set<std::string> assets_;  // that were asked for
};

// The parameters' tensors out of `weights` [P], which is laid out in visiting order.
formats::NamedTensors tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                 const Tensor& weights);
// The parameters' values with every matrix rounded to `precision`, which is not kStored.
formats::NamedTensors rounded_tensors_of(const std::vector<nn::NamedParameter>& parameters,
                                         Precision precision);

// Writes a model file, whole or not at all; `options` is JSON. Throws FileError.
void save(const std::string& path, const std::string& options, formats::NamedTensors tensors,
          const std::vector<Asset>& assets);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_MODEL_FILE_H_
