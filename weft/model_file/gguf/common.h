// What the metadata and the tensors of Llama-like models in GGUF have in common.
#ifndef WEFT_MODEL_FILE_GGUF_COMMON_H_
#define WEFT_MODEL_FILE_GGUF_COMMON_H_

#include <cstdint>

#include "weft/model_file/gguf/architecture.h"

namespace weft::model_file {

int64_t gguf_key_size(Fields& config);  // K, the features of a head's queries and keys

// Those that read throw FormatError, naming the field; those that write OptionError.
void read_gguf_heads(GgufReader& in);
void write_gguf_heads(GgufWriter& out);
// A scaling of rotary positions.
void read_gguf_rotary(GgufReader& in);
void write_gguf_rotary(GgufWriter& out);
// Biases, norms of queries and keys, and whether embeddings are tied, as the tensors tell.
void read_gguf_tensors(GgufReader& in);

// Options of training; and those that the shapes of tensors or the window layers imply.
inline constexpr std::string_view kGgufHarmlessOptions[] = {
    "transformer-dropout",           "transformer-dropout-ffn", "drop-path",
    "transformer-dropout-attention", "transformer-key-heads",   "transformer-dim-key",
    "transformer-dim-value",         "attention-full-every",    "attention-full-first",
    "attention-full-lowest",
};

// Embeddings, norms, projections and feed-forward networks.
NameMap gguf_layer_names();

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_GGUF_COMMON_H_
