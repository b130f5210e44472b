#include "weft/model_file/hugging_face/encoders/distil_bert.h"

#include "weft/model_file/classifier.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/hugging_face/encoders/common.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"

namespace weft::model_file {
namespace {

// Positions of sines are made once and then a table as learned ones are.
constexpr FixedValue kDistilFields[] = {{"is_encoder_decoder", "false"}, {"pruned_heads", "{}"}};

// Missing fields have the values of DistilBertConfig.
constexpr FieldMapping kDistilMappings[] = {
    {"vocab_size", "vocab-size", "30522"},
    {"dim", "dim-emb", "768"},
    {"n_layers", "enc-depth", "6"},
    {"n_heads", "transformer-heads", "12"},
    {"hidden_dim", "transformer-dim-ffn", "3072"},
    {.field = "activation",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu")",
     .values = kEncoderActivations},
    {"dropout", "transformer-dropout", "0.1"},
    {"attention_dropout", "transformer-dropout-attention", "0.1"},
    {"max_position_embeddings", "max-positions", "512"},
};

// Of training and of answers to questions.
constexpr std::string_view kDistilHarmless[] = {
    "sinusoidal_pos_embds",
    "qa_dropout",
    "seq_classif_dropout",
    "tie_weights_",
    "initializer_range",
    "chunk_size_feed_forward",
    "pad_token_id",
    "bos_token_id",
    "eos_token_id",
    "cls_token_id",
    "sep_token_id",
    "id2label",
    "label2id",
    "num_labels",
    "_num_labels",
    "problem_type",
    "tie_word_embeddings",
    "output_past",
    "transformers.js_config",
};

constexpr ConfigMap kDistilConfig = {.fixed_fields = kDistilFields,
                                     .fields = kDistilMappings,
                                     .fixed_options = kPostNormEncoderOptions,
                                     .harmless_fields = kDistilHarmless,
                                     .harmless_options = kEncoderHarmlessOptions};

EncoderDims distil_dims(FolderReader& in) {
  in.out.set("norm-epsilon", 1e-12, in.config.where());
  in.out.set("token-types", 0, in.config.where());
  return {.features = in.config.take_integer_or("dim", 768),
          .positions = in.config.take_integer_or("max_position_embeddings", 512)};
}

void read_distil(FolderReader& in) { read_embedder(in, distil_dims(in)); }
void write_distil(FolderWriter& out) { write_embedder(out, false); }

void read_distil_classifier(FolderReader& in) {
  read_head_dropout(in, "classifier-dropout", "seq_classif_dropout", "dropout");
  read_text_classifier(in, distil_dims(in), "relu");
}
void write_distil_classifier(FolderWriter& out) {
  write_text_classifier(out, false);
  out.config["seq_classif_dropout"] = out.options.at("classifier-dropout");
}

void read_distil_tagger(FolderReader& in) { read_word_tagger(in, distil_dims(in)); }
void write_distil_tagger(FolderWriter& out) { write_word_tagger(out, false); }

// The head has the activation of the layers.
void read_distil_masked_lm(FolderReader& in) {
  const std::string_view activation = take_activation(in.config, "activation", "gelu");
  read_masked_lm(in, distil_dims(in), activation);
}
void write_distil_masked_lm(FolderWriter& out) { write_masked_lm(out, false); }

NameMap distil_encoder_names(const std::string& prefix) {
  NameMap out;
  const auto add = [&](const std::string& theirs, const std::string& ours) {
    add_names(out, prefix + theirs, "model.encoder." + ours);
  };
  add("embeddings.word_embeddings", "embed_tokens");
  add("embeddings.position_embeddings", "embed_positions");
  add("embeddings.LayerNorm", "layernorm_embedding");
  constexpr const char* kLayer[][2] = {
      {"attention.q_lin", "self_attn.q_proj"},
      {"attention.k_lin", "self_attn.k_proj"},
      {"attention.v_lin", "self_attn.v_proj"},
      {"attention.out_lin", "self_attn.out_proj"},
      {"sa_layer_norm", "self_attn_layer_norm"},
      {"ffn.lin1", "fc1"},
      {"ffn.lin2", "fc2"},
      {"output_layer_norm", "final_layer_norm"},
  };
  for (const auto& [theirs, ours] : kLayer) {
    add(std::string("transformer.layer.*.") + theirs, std::string("layers.*.") + ours);
  }
  out.extras = {{prefix + "embeddings.position_ids"}, {"vocab_*"}};  // of masked tokens
  return out;
}

NameMap distil_names(const Json& options) {
  NameMap out = distil_encoder_names("");
  add_dense_names(options, out);
  return out;
}
NameMap distil_classifier_names(const Json& options) {
  NameMap out = distil_encoder_names("distilbert.");
  add_names(out, "pre_classifier", "head.dense");
  add_classifier_names(out, "classifier", options);
  return out;
}
NameMap distil_tagger_names(const Json& options) {
  NameMap out = distil_encoder_names("distilbert.");
  add_tagger_names(out, "classifier", options);
  return out;
}

NameMap distil_masked_lm_names(const Json&) {
  NameMap out = distil_encoder_names("distilbert.");
  std::erase_if(out.extras, [](const ExtraTensor& one) { return one.theirs == "vocab_*"; });
  add_masked_head_names(out, {.dense = "vocab_transform",
                              .norm = "vocab_layer_norm",
                              .bias = "vocab_projector.bias",
                              .output = "vocab_projector",
                              .embeddings = "distilbert.embeddings.word_embeddings.weight"});
  return out;
}

constexpr std::string_view kLargerDistil[] = {"DistilBertForMaskedLM"};

}  // namespace

const Architecture kDistilBert = {.name = "DistilBERT",
                                  .model_type = "distilbert",
                                  .model_class = "DistilBertModel",
                                  .kind = EmbedderSession::kKind,
                                  .larger_classes = kLargerDistil,
                                  .config = kDistilConfig,
                                  .names = distil_names,
                                  .base_prefix = "distilbert.",
                                  .read = read_distil,
                                  .write = write_distil};
const Architecture kDistilBertClassifier = {.name = "DistilBERT",
                                            .model_type = "distilbert",
                                            .model_class = "DistilBertForSequenceClassification",
                                            .kind = ClassifierSession::kKind,
                                            .input = models::TextInput::kName,
                                            .config = kDistilConfig,
                                            .names = distil_classifier_names,
                                            .read = read_distil_classifier,
                                            .write = write_distil_classifier};
const Architecture kDistilBertTagger = {.name = "DistilBERT",
                                        .model_type = "distilbert",
                                        .model_class = "DistilBertForTokenClassification",
                                        .kind = TaggerSession::kKind,
                                        .config = kDistilConfig,
                                        .names = distil_tagger_names,
                                        .read = read_distil_tagger,
                                        .write = write_distil_tagger};
const Architecture kDistilBertMaskedLm = {.name = "DistilBERT",
                                          .model_type = "distilbert",
                                          .model_class = "DistilBertForMaskedLM",
                                          .kind = MaskedLmSession::kKind,
                                          .config = kDistilConfig,
                                          .names = distil_masked_lm_names,
                                          .read = read_distil_masked_lm,
                                          .write = write_distil_masked_lm};

}  // namespace weft::model_file
