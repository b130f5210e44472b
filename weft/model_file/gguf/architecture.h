// What Weft knows of an architecture of GGUF: a map of its metadata and one of its tensors.
#ifndef WEFT_MODEL_FILE_GGUF_ARCHITECTURE_H_
#define WEFT_MODEL_FILE_GGUF_ARCHITECTURE_H_

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
  ImportedContents& out;
};

struct GgufArchitecture {
  std::string_view name;  // general.architecture: "llama"
  ConfigMap config;
  // Its tensors; the options of the model say their shapes.
  NameMap (*names)(const Json& options);
  // What the map of the metadata does not say: fields that are several options.
  void (*read)(GgufReader& in);
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_ARCHITECTURE_H_
