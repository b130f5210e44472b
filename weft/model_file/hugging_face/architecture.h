// What Weft knows of an architecture of Hugging Face Transformers: a map of its configuration and
// one of its tensors, which serve import and export, and the other files of its folder.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ARCHITECTURE_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ARCHITECTURE_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "weft/model_file/foreign/config_map.h"
#include "weft/model_file/foreign/name_map.h"

namespace weft::model_file {

// A folder that is read.
struct FolderReader {
  std::string folder;
  Fields& config;  // config.json
  std::function<bool(const std::string& name)> has_tensor;
  // Takes the model.safetensors of a folder of this one as well; "/" and `prefix` before it become
  // part of the names of its tensors.
  std::function<void(const std::string& folder, const std::string& prefix)> add_weights;
  ImportedContents& out;
};

// A folder that is written.
struct FolderWriter {
  std::string folder;
  ImportedContents& contents;  // of the model
  const Json& options;         // of the model
  Json& config;                // config.json, which is written afterwards
};

// Whether the tokeniser of an architecture's folder is a tokenizer.json.
enum class TokenizerJson { kAny, kNever, kAlways };

struct Architecture {
  std::string_view name;         // in messages: "ViT"
  std::string_view model_type;   // in config.json: "vit"
  std::string_view model_class;  // likewise, of its architectures: "ViTForImageClassification"
  std::string_view kind;         // of Weft's model: "classifier"
  // Of several inputs that models of the kind may have, the only one: "image"; empty: any.
  std::string_view input = {};
  TokenizerJson tokenizer_json = TokenizerJson::kAny;
  // The only type of model that its tokeniser may have in a tokenizer.json: "Unigram"; empty: any.
  std::string_view tokeniser = {};
  // Classes that are the same model with a head, which is not read.
  std::span<const std::string_view> larger_classes = {};
  ConfigMap config;
  // Its tensors; the options of the model say their shapes.
  NameMap (*names)(const Json& options);
  // Of names of tensors, which all those of a folder may lack; empty: none.
  std::string_view optional_prefix = {};
  // Of names of tensors in folders of models with a head, where the map's lack it.
  std::string_view base_prefix = {};
  // What the map of the configuration does not say: fields that are several options, and other
  // files.
  void (*read)(FolderReader& in);
  void (*write)(FolderWriter& out);
};

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ARCHITECTURE_H_
