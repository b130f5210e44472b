// What the metadata and the tensors of Llama-like models in GGUF have in common.
#ifndef WEFT_MODEL_FILE_GGUF_COMMON_H_
#define WEFT_MODEL_FILE_GGUF_COMMON_H_

#include <cstdint>

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

int64_t gguf_integer_or(Fields& config, const char* field, int64_t missing);

// All throw FormatError, naming the field.
void read_gguf_heads(GgufReader& in);
// A scaling of rotary positions.
void read_gguf_rotary(GgufReader& in);
// Biases, norms of queries and keys, and whether embeddings are tied, as the tensors tell.
void read_gguf_tensors(GgufReader& in);

// Embeddings, norms, projections and feed-forward networks.
NameMap gguf_layer_names();

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_COMMON_H_
