// What encoders of Transformers have in common, without a head, with one for texts or for words.
#ifndef WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_COMMON_H_
#define WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_COMMON_H_

#include <cstdint>
#include <string>

#include "weft/model_file/hugging_face/architecture.h"
#include "weft/model_file/hugging_face/sentence_transformers/modules.h"

namespace weft::model_file {

// Activations of feed-forward networks, there and here.
inline constexpr ValueName kEncoderActivations[] = {
    {"gelu", "gelu"},          {"gelu_pytorch_tanh", "gelu-tanh"},
    {"gelu_new", "gelu-tanh"}, {"relu", "relu"},
    {"silu", "silu"},          {"swish", "silu"},
};

// Of BERT and what differs from it in a few fields.
inline constexpr FixedValue kPostNormEncoderOptions[] = {
    {"architecture", R"("transformer")"},
    {"transformer-norm", R"("post")"},
    {"norm-kind", R"("layer")"},
    {"position", R"("learned")"},
    {"embedding-scale", "1.0"},
    {"embedding-norm", "true"},
    {"begin-symbol", "true"},
    {"word-dropout", "0.0"},
};

// Initialisation, other heads, symbols that Weft's batches do without, and how models were trained.
inline constexpr std::string_view kEncoderHarmlessFields[] = {
    "initializer_range",
    "chunk_size_feed_forward",
    "pad_token_id",
    "bos_token_id",
    "eos_token_id",
    "cls_token_id",
    "sep_token_id",
    "classifier_dropout",
    "id2label",
    "label2id",
    "num_labels",
    "_num_labels",
    "problem_type",
    "tie_word_embeddings",
    "directionality",
    "pooler_fc_size",
    "pooler_num_attention_heads",
    "pooler_num_fc_layers",
    "pooler_size_per_head",
    "pooler_type",
    "output_past",
    "transformers.js_config",
};

// Of training, and which fields of a training text were read.
inline constexpr std::string_view kEncoderHarmlessOptions[] = {
    "word-dropout",   "transformer-dropout-ffn",
    "drop-path",      "classifier-dropout",
    "tagger-dropout", "word-labels",
    "text-labels",    "text-field",
    "format",         "label-separators",
};

struct EncoderDims {
  int64_t features = 0;   // D
  int64_t positions = 0;  // tokens of a text at most, special symbols included
};
// By hidden_size and max_position_embeddings; `offset` rows of the table of positions are before
// that of the first token.
EncoderDims dims_of(Fields& config, int64_t offset = 0);

// A model without a head: its tokeniser and the files of sentence-transformers.
void read_embedder(FolderReader& in, const EncoderDims& dims);
// `has_types`: the model reads token types.
void write_embedder(FolderWriter& out, bool has_types);

// A model with a head for texts: its tokeniser, labels, and how these are chosen.
// `head_activation` is that of the layer before the output layer, `pooling` what it reads.
void read_text_classifier(FolderReader& in, const EncoderDims& dims,
                          std::string_view head_activation, std::string_view pooling = "first");
void write_text_classifier(FolderWriter& out, bool has_types);

// A model with a head for words: its tokeniser and labels.
void read_word_tagger(FolderReader& in, const EncoderDims& dims);
void write_word_tagger(FolderWriter& out, bool has_types);

// A model with a head for masked tokens: its tokeniser, and the activation in its head.
void read_masked_lm(FolderReader& in, const EncoderDims& dims, std::string_view head_activation);
// `has_types` as above. Throws OptionError where the tokeniser has no mask symbol.
void write_masked_lm(FolderWriter& out, bool has_types);
// The activation that a field names, as Weft names it.
std::string_view take_activation(Fields& config, const char* field, const char* missing);

// The dropout before the output layer: `field`, or where it is missing `other`.
void read_head_dropout(FolderReader& in, const char* option, const char* field, const char* other);

// The tensors of BertModel and of what has the same names, with `prefix` before them.
NameMap bert_encoder_names(const std::string& prefix, const Json& options);
// The same where the model has a head for masked tokens: these tensors, and copies of tied ones.
struct MaskedHeadNames {
  std::string dense, norm;  // without .weight and .bias
  std::string bias;         // of the output layer
  std::string output;       // the output layer, if it is there too
  std::string embeddings;   // the table to which it is tied
};
void add_masked_head_names(NameMap& map, const MaskedHeadNames& names);

// A mapping of the weight and one of the bias.
void add_names(NameMap& map, const std::string& theirs, const std::string& ours);
// Those of the output layers of classifiers and taggers.
void add_classifier_names(NameMap& map, const std::string& theirs, const Json& options);
void add_tagger_names(NameMap& map, const std::string& theirs, const Json& options);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_COMMON_H_
