#include "weft/model_file/hugging_face/encoders/modern_bert.h"

#include <algorithm>

#include "weft/model_file/classifier.h"
#include "weft/model_file/embedder.h"
#include "weft/model_file/hugging_face/encoders/common.h"
#include "weft/model_file/hugging_face/language_models/common.h"
#include "weft/model_file/hugging_face/language_models/rotary.h"
#include "weft/model_file/masked_lm.h"
#include "weft/model_file/tagger.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kModernFields[] = {{"is_encoder_decoder", "false"},
                                        {"position_embedding_type", R"("absolute")"}};

// Missing fields have the values of ModernBertConfig.
constexpr FieldMapping kModernMappings[] = {
    {"vocab_size", "vocab-size", "50368"},
    {"hidden_size", "dim-emb", "768"},
    {"num_hidden_layers", "enc-depth", "22"},
    {"num_attention_heads", "transformer-heads", "12"},
    {"intermediate_size", "transformer-dim-ffn", "1152"},
    {.field = "hidden_activation",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu")",
     .values = kEncoderActivations},
    {"max_position_embeddings", "max-positions", "8192"},
    {"norm_eps", "norm-epsilon", "1e-5"},
    {"norm_bias", "norm-bias", "false"},
    {"attention_bias", "attention-bias", "false"},
    {"mlp_bias", "transformer-ffn-bias", "false"},
    {"attention_dropout", "transformer-dropout-attention", "0.0"},
    {"embedding_dropout", "transformer-dropout", "0.0"},
};

constexpr FixedValue kModernOptions[] = {
    {"architecture", R"("transformer")"},
    {"transformer-norm", R"("pre")"},
    {"transformer-first-norm", "false"},
    {"norm-kind", R"("layer")"},
    {"transformer-ffn-gated", "true"},
    {"embedding-scale", "1.0"},
    {"embedding-norm", "true"},
    {"begin-symbol", "true"},
    {"token-types", "0"},
    {"word-dropout", "0.0"},
};

// Initialisation, symbols that Weft's batches do without, the head for masked tokens, and how the
// model was trained or computed.
constexpr std::string_view kModernHarmless[] = {
    "initializer_range",
    "initializer_cutoff_factor",
    "pad_token_id",
    "bos_token_id",
    "eos_token_id",
    "cls_token_id",
    "sep_token_id",
    "layer_norm_eps",
    "mlp_dropout",
    "decoder_bias",
    "deterministic_flash_attn",
    "reference_compile",
    "repad_logits_with_grad",
    "sparse_prediction",
    "sparse_pred_ignore_index",
    "tie_word_embeddings",
    "classifier_pooling",
    "classifier_dropout",
    "classifier_bias",
    "classifier_activation",
    "id2label",
    "label2id",
    "num_labels",
    "_num_labels",
    "problem_type",
    "layer_types",
    "transformers.js_config",
};

// Those that layer_types implies, too.
constexpr std::string_view kModernHarmlessOptions[] = {
    "word-dropout",
    "transformer-dropout-ffn",
    "drop-path",
    "classifier-dropout",
    "tagger-dropout",
    "word-labels",
    "text-labels",
    "text-field",
    "format",
    "label-separators",
    "transformer-dropout",
    "attention-full-every",
    "attention-full-first",
    "attention-full-lowest",
};

constexpr ConfigMap kModernConfig = {.fixed_fields = kModernFields,
                                     .fields = kModernMappings,
                                     .fixed_options = kModernOptions,
                                     .harmless_fields = kModernHarmless,
                                     .harmless_options = kModernHarmlessOptions};

constexpr TwoBases kModernBases = {.base = "global_rope_theta",
                                   .missing_base = 160000,
                                   .local_base = "local_rope_theta",
                                   .missing_local_base = 10000};
constexpr const char *kModernWindow = "local_attention", *kFullEvery = "global_attn_every_n_layers";

// The window reaches to both sides, half of it to each.
EncoderDims read_modern_layers(FolderReader& in) {
  Fields& config = in.config;
  const int64_t window = config.take_integer_or(kModernWindow, 128);
  const int64_t every = config.take_integer_or(kFullEvery, 3);
  if (window < 2) config.refuse("field '{}': expected at least 2, got {}", kModernWindow, window);
  if (every < 1) config.refuse("field '{}': expected at least 1, got {}", kFullEvery, every);
  const auto is_full = [&](int64_t layer) { return layer % every == 0; };
  const WindowLayers layers{.is_full = read_layer_types(config, is_full), .window = window / 2 + 1};
  set_window_layers(layers, config.where_of("layer_types"), in.out);
  read_two_rotations(in, kModernBases, layers.any());
  EncoderDims out = dims_of(config);
  out.positions = config.take_integer_or("max_position_embeddings", 8192);
  return out;
}

void write_modern_layers(FolderWriter& out) {
  const WindowLayers layers = window_layers_of(out.options, "enc-depth");
  out.config["layer_types"] = layer_types_of(layers);
  out.config[kModernWindow] = layers.any() ? 2 * (layers.window - 1) : 128;
  if (out.options.value("rotary-scaling", "none") != "none") {
    fail<OptionError>("--rotary-scaling", "ModernBERT models in Transformers are written without");
  }
  // Options that are left out of files where they are true.
  out.config["norm_bias"] = out.options.value("norm-bias", true);
  out.config["mlp_bias"] = out.options.value("transformer-ffn-bias", true);
  const Json base = out.options.at("rotary-base");
  const double local = out.options.value("rotary-local-base", 0.0);
  out.config[kModernBases.base] = base;
  out.config[kModernBases.local_base] = local != 0 ? Json(local) : base;
}

// The layer before the output layer, with a norm.
std::string read_modern_head(FolderReader& in) {
  Fields& config = in.config;
  constexpr const char* kActivation = "classifier_activation";
  const Json activation = config.take_or(kActivation, "gelu");
  if (activation != "gelu" && activation != "relu" && activation != "silu" &&
      activation != "tanh") {
    config.refuse("field '{}' is not supported as {}; expected gelu, relu, silu or tanh",
                  kActivation, short_text(activation));
  }
  in.out.set("head-bias", config.take_bool_or("classifier_bias", false),
             config.where_of("classifier_bias"));
  in.out.set("head-norm", true, config.where());
  return activation;
}
void write_modern_head(FolderWriter& out, const char* dropout) {
  // Without the layer the field is left out: the export then reports that --head-activation
  // differs.
  const std::string activation = out.options.value("head-activation", "none");
  if (activation != "none") out.config["classifier_activation"] = activation;
  out.config["classifier_bias"] = out.options.value("head-bias", true);
  out.config["classifier_dropout"] = out.options.at(dropout);
}

void read_modern(FolderReader& in) { read_embedder(in, read_modern_layers(in)); }
void write_modern(FolderWriter& out) {
  write_modern_layers(out);
  write_embedder(out, false);
}

void read_modern_classifier(FolderReader& in) {
  Fields& config = in.config;
  constexpr const char* kPooling = "classifier_pooling";
  const Json pooling = config.take_or(kPooling, "cls");
  if (pooling != "cls" && pooling != "mean") {
    config.refuse("field '{}' is not supported as {}; expected cls or mean", kPooling,
                  short_text(pooling));
  }
  in.out.set("classifier-dropout", config.take_or("classifier_dropout", 0.0),
             config.where_of("classifier_dropout"));
  const std::string activation = read_modern_head(in);
  read_text_classifier(in, read_modern_layers(in), activation, pooling == "cls" ? "first" : "mean");
}
void write_modern_classifier(FolderWriter& out) {
  write_modern_layers(out);
  write_text_classifier(out, false);
  write_modern_head(out, "classifier-dropout");
  out.config["classifier_pooling"] = out.options.at("pooling") == "first" ? "cls" : "mean";
}

void read_modern_tagger(FolderReader& in) {
  in.out.set("tagger-dropout", in.config.take_or("classifier_dropout", 0.0),
             in.config.where_of("classifier_dropout"));
  in.out.set("head-activation", read_modern_head(in), in.config.where());
  read_word_tagger(in, read_modern_layers(in));
}
void write_modern_tagger(FolderWriter& out) {
  write_modern_layers(out);
  write_word_tagger(out, false);
  write_modern_head(out, "tagger-dropout");
}

NameMap modern_encoder_names(const std::string& prefix) {
  NameMap out;
  const auto add = [&](const std::string& theirs, const std::vector<std::string>& ours) {
    for (const char* part : {".weight", ".bias"}) {
      NameMapping mapping{.theirs = prefix + theirs + part, .ours = {}};
      for (const std::string& name : ours) mapping.ours.push_back("model.encoder." + name + part);
      out.mappings.push_back(std::move(mapping));
    }
  };
  add("embeddings.tok_embeddings", {"embed_tokens"});
  add("embeddings.norm", {"layernorm_embedding"});
  add("layers.*.attn_norm", {"layers.*.self_attn_layer_norm"});
  add("layers.*.attn.Wqkv",
      {"layers.*.self_attn.q_proj", "layers.*.self_attn.k_proj", "layers.*.self_attn.v_proj"});
  add("layers.*.attn.Wo", {"layers.*.self_attn.out_proj"});
  add("layers.*.mlp_norm", {"layers.*.final_layer_norm"});
  add("layers.*.mlp.Wi", {"layers.*.gate", "layers.*.fc1"});
  add("layers.*.mlp.Wo", {"layers.*.fc2"});
  add("final_norm", {"layer_norm"});
  return out;
}

NameMap modern_names(const Json& options) {
  NameMap out = modern_encoder_names("");
  add_dense_names(options, out);
  out.extras = {{"head.*"}, {"decoder.*"}};  // of masked tokens
  return out;
}
NameMap modern_classifier_names(const Json& options) {
  NameMap out = modern_encoder_names("model.");
  add_names(out, "head.dense", "head.dense");
  add_names(out, "head.norm", "head.norm");
  add_classifier_names(out, "classifier", options);
  return out;
}
NameMap modern_tagger_names(const Json& options) {
  NameMap out = modern_encoder_names("model.");
  add_names(out, "head.dense", "head.dense");
  add_names(out, "head.norm", "head.norm");
  add_tagger_names(out, "classifier", options);
  return out;
}

NameMap modern_masked_lm_names(const Json&) {
  NameMap out = modern_encoder_names("model.");
  add_masked_head_names(out, {.dense = "head.dense",
                              .norm = "head.norm",
                              .bias = "decoder.bias",
                              .output = "decoder",
                              .embeddings = "model.embeddings.tok_embeddings.weight"});
  return out;
}

void read_modern_masked_lm(FolderReader& in) {
  Fields& config = in.config;
  const std::string_view activation = take_activation(config, "classifier_activation", "gelu");
  in.out.set("head-bias", config.take_bool_or("classifier_bias", false),
             config.where_of("classifier_bias"));
  in.out.set("output-bias", config.take_bool_or("decoder_bias", true),
             config.where_of("decoder_bias"));
  read_masked_lm(in, read_modern_layers(in), activation);
}
void write_modern_masked_lm(FolderWriter& out) {
  write_modern_layers(out);
  write_masked_lm(out, false);
  const std::string activation = out.options.at("head-activation");
  const auto found = std::ranges::find(kEncoderActivations, activation, &ValueName::second);
  if (found == std::end(kEncoderActivations)) {
    fail<OptionError>("--head-activation",
                      "ModernBERT models in Transformers support only gelu, gelu-tanh, relu or "
                      "silu, got {}",
                      activation);
  }
  out.config["classifier_activation"] = found->first;
  out.config["classifier_bias"] = out.options.at("head-bias");
  out.config["decoder_bias"] = out.options.at("output-bias");
}

constexpr std::string_view kLargerModern[] = {"ModernBertForMaskedLM"};

}  // namespace

const Architecture kModernBert = {.name = "ModernBERT",
                                  .model_type = "modernbert",
                                  .model_class = "ModernBertModel",
                                  .kind = EmbedderSession::kKind,
                                  .larger_classes = kLargerModern,
                                  .config = kModernConfig,
                                  .names = modern_names,
                                  .base_prefix = "model.",
                                  .read = read_modern,
                                  .write = write_modern};
const Architecture kModernBertClassifier = {.name = "ModernBERT",
                                            .model_type = "modernbert",
                                            .model_class = "ModernBertForSequenceClassification",
                                            .kind = ClassifierSession::kKind,
                                            .input = models::TextInput::kName,
                                            .config = kModernConfig,
                                            .names = modern_classifier_names,
                                            .read = read_modern_classifier,
                                            .write = write_modern_classifier};
const Architecture kModernBertTagger = {.name = "ModernBERT",
                                        .model_type = "modernbert",
                                        .model_class = "ModernBertForTokenClassification",
                                        .kind = TaggerSession::kKind,
                                        .config = kModernConfig,
                                        .names = modern_tagger_names,
                                        .read = read_modern_tagger,
                                        .write = write_modern_tagger};
const Architecture kModernBertMaskedLm = {.name = "ModernBERT",
                                          .model_type = "modernbert",
                                          .model_class = "ModernBertForMaskedLM",
                                          .kind = MaskedLmSession::kKind,
                                          .config = kModernConfig,
                                          .names = modern_masked_lm_names,
                                          .read = read_modern_masked_lm,
                                          .write = write_modern_masked_lm};

}  // namespace weft::model_file
