// The options and the tokeniser in the metadata of a GGUF file.
#ifndef WEFT_MODEL_FILE_GGUF_GGUF_CONTENTS_H_
#define WEFT_MODEL_FILE_GGUF_GGUF_CONTENTS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

// The field of the chat template; those with a name have ".NAME" behind it.
inline constexpr std::string_view kGgufChatTemplate = "tokenizer.chat_template";

struct GgufSource {
  const std::string& path;
  const Json& metadata;
  int64_t vocab;        // rows of the table of embeddings
  int64_t token_types;  // rows of the table of token types; 0: there is none
  std::function<bool(const std::string& name)> has_tensor;
  std::function<Tensor(const std::string& name)> tensor;
};

// A fraction as the shortest decimals of its value in 32 bits: 1e-5 rather than
// 9.99999974737875e-06. Other values, and those out of range, are as they were.
Json rounded_to_float32(const Json& value);

// Throws FormatError, naming the file and the key that is missing, unknown or not supported.
ImportedContents read_gguf_contents(const GgufArchitecture& architecture, const GgufSource& file);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_GGUF_CONTENTS_H_
