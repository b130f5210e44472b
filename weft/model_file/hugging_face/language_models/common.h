// What the configurations of language models have in common.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_COMMON_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_COMMON_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "weft/model_file/foreign/window_layers.h"
#include "weft/model_file/hugging_face/architecture.h"

namespace weft::model_file {

// Activations of feed-forward networks, there and here.
inline constexpr ValueName kHiddenActivations[] = {
    {"silu", "silu"},          {"swish", "silu"},
    {"gelu", "gelu"},          {"gelu_pytorch_tanh", "gelu-tanh"},
    {"gelu_new", "gelu-tanh"}, {"relu", "relu"},
};

// Options of training; and those that the shapes of tensors or layer_types imply.
inline constexpr std::string_view kLanguageModelHarmlessOptions[] = {
    "transformer-dropout",   "transformer-dropout-ffn", "drop-path",
    "transformer-key-heads", "transformer-dim-key",     "transformer-dim-value",
    "attention-full-every",  "attention-full-first",    "attention-full-lowest",
};

// num_key_value_heads and head_dim, which may be missing: then there is a head of keys and values
// for each of queries, and heads have `head_size` features, or, where that is 0, D / H. Throws
// FormatError, naming the field, for no whole number.
void read_heads(FolderReader& in, int64_t head_size = 0);
// The features of a head of a model with these options. Throws OptionError for values of another
// size than keys.
int64_t head_size_of(const Json& options);
// Throws what head_size_of() throws.
void write_heads(FolderWriter& out);

// A bias that is an option of its own where others have it too: null or missing: `missing`.
void read_bias(FolderReader& in, const char* field, const char* option, bool missing);

// Whether layers attend to all tokens, by layer_types, or else by `is_full` of their number from 0.
std::vector<bool> read_layer_types(Fields& config, const std::function<bool(int64_t)>& is_full);
Json layer_types_of(const WindowLayers& layers);

// sliding_window, the last tokens that a token attends to, itself included; null: all.
void read_window(FolderReader& in);
// Throws OptionError for layers that differ.
void write_window(FolderWriter& out);
// The field, which must be there.
int64_t take_window(Fields& config);

// The tokeniser, and the symbols that begin and end texts: those of generation_config.json, or else
// of config.json.
void read_tokens(FolderReader& in);
void write_tokens(FolderWriter& out);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_LANGUAGE_MODELS_COMMON_H_
