// What encoders of Transformers have in common.
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

// Of training.
inline constexpr std::string_view kEncoderHarmlessOptions[] = {
    "word-dropout",
    "transformer-dropout-ffn",
    "drop-path",
};

// Of a model without a head: its tokeniser and the files of sentence-transformers. `offset` rows of
// the table of positions are before that of the first token.
void read_embedder(FolderReader& in, int64_t offset);
// `has_types`: the model reads token types.
void write_embedder(FolderWriter& out, int64_t offset, bool has_types = true);

// The tensors of BertModel and of what has the same names, with `prefix` before them.
NameMap bert_encoder_names(const std::string& prefix);

}  // namespace weft::model_file

#endif  // WEFT_MODEL_FILE_HUGGING_FACE_ENCODERS_COMMON_H_
