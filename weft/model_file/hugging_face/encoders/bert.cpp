#include "weft/model_file/hugging_face/encoders/bert.h"

#include "weft/model_file/embedder.h"
#include "weft/model_file/hugging_face/encoders/common.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kBertFields[] = {{"is_decoder", "false"},
                                      {"is_encoder_decoder", "false"},
                                      {"add_cross_attention", "false"},
                                      {"position_embedding_type", R"("absolute")"},
                                      {"pruned_heads", "{}"}};

// Missing fields have the values of BertConfig.
constexpr FieldMapping kBertMappings[] = {
    {"vocab_size", "vocab-size", "30522"},
    {"hidden_size", "dim-emb", "768"},
    {"num_hidden_layers", "enc-depth", "12"},
    {"num_attention_heads", "transformer-heads", "12"},
    {"intermediate_size", "transformer-dim-ffn", "3072"},
    {.field = "hidden_act",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu")",
     .values = kEncoderActivations},
    {"hidden_dropout_prob", "transformer-dropout", "0.1"},
    {"attention_probs_dropout_prob", "transformer-dropout-attention", "0.1"},
    {"max_position_embeddings", "max-positions", "512"},
    {"type_vocab_size", "token-types", "2"},
    {"layer_norm_eps", "norm-epsilon", "1e-12"},
};

void read_bert(FolderReader& in) { read_embedder(in, 0); }
void write_bert(FolderWriter& out) { write_embedder(out, 0); }

NameMap bert_names(const Json& options) {
  NameMap out = bert_encoder_names("");
  add_dense_names(options, out);
  return out;
}

// With heads for masked tokens.
constexpr std::string_view kLargerBert[] = {"BertForMaskedLM", "BertForPreTraining"};

}  // namespace

const Architecture kBert = {.name = "BERT",
                            .model_type = "bert",
                            .model_class = "BertModel",
                            .kind = EmbedderSession::kKind,
                            .larger_classes = kLargerBert,
                            .config = {.fixed_fields = kBertFields,
                                       .fields = kBertMappings,
                                       .fixed_options = kPostNormEncoderOptions,
                                       .harmless_fields = kEncoderHarmlessFields,
                                       .harmless_options = kEncoderHarmlessOptions},
                            .names = bert_names,
                            .base_prefix = "bert.",
                            .read = read_bert,
                            .write = write_bert};

}  // namespace weft::model_file
