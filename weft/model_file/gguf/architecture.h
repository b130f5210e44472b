// What Weft knows of an architecture of GGUF: a map of its metadata and one of its tensors,
// which serve reading and writing.
#ifndef WEFT_MODEL_FILE_GGUF_ARCHITECTURE_H_
#define WEFT_MODEL_FILE_GGUF_ARCHITECTURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "weft/model_file/foreign/config_map.h"
#include "weft/model_file/foreign/name_map.h"

namespace weft::model_file {

// A file that is read.
struct GgufReader {
  Fields& config;  // those of the architecture, without its name before them: "block_count"
  std::function<bool(const std::string& name)> has_tensor;
  std::function<Tensor(const std::string& name)> tensor;  // in F32
  int64_t token_types;                                    // rows of their table; 0: there is none
  ImportedContents& out;
};

// A file that is written.
struct GgufWriter {
  const Json& options;             // of the model
  Json& config;                    // the fields of the architecture
  formats::NamedTensors& tensors;  // beside those of the model
};

struct GgufArchitecture {
  std::string_view name;  // general.architecture: "llama"
  std::string_view kind;  // of Weft's model: "language-model"
  ConfigMap config;
  // Its tensors; the options of the model say their shapes.
  NameMap (*names)(const Json& options);
  // What the map of the metadata does not say: fields that are several options.
  void (*read)(GgufReader& in);
  void (*write)(GgufWriter& out);  // throws OptionError
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_ARCHITECTURE_H_
