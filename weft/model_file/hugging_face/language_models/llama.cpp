#include "weft/model_file/hugging_face/language_models/llama.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/model_file/hugging_face/language_models/common.h"
#include "weft/model_file/hugging_face/language_models/rotary.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kLlamaFields[] = {{"is_encoder_decoder", "false"}};

constexpr FieldMapping kLlamaMappings[] = {
    {"vocab_size", "vocab-size"},
    {"hidden_size", "dim-emb"},
    {"num_hidden_layers", "dec-depth"},
    {"num_attention_heads", "transformer-heads"},
    {"intermediate_size", "transformer-dim-ffn"},
    {.field = "hidden_act",
     .option = "transformer-ffn-activation",
     .missing = R"("silu")",
     .values = kHiddenActivations},
    {"max_position_embeddings", "max-positions"},
    {"rms_norm_eps", "norm-epsilon", "1e-6"},
    {"attention_dropout", "transformer-dropout-attention", "0.0"},
    {"tie_word_embeddings", "tied-embeddings", "false"},
};

constexpr FixedValue kLlamaOptions[] = {
    {"transformer-norm", R"("pre")"}, {"norm-kind", R"("rms")"}, {"transformer-ffn-gated", "true"},
    {"output-bias", "false"},         {"embedding-scale", "1"},  {"transformer-dropout", "0"},
};

// Initialisation, other heads, and how the model was trained.
constexpr std::string_view kLlamaHarmless[] = {
    "initializer_range",
    "pretraining_tp",
    "pad_token_id",
    "id2label",
    "label2id",
    "problem_type",
    "_num_labels",
    "is_llama_config",
    "chunk_size_feed_forward",
    "layer_types",
    "transformers.js_config",
};

constexpr ConfigMap kLlamaConfig = {.fixed_fields = kLlamaFields,
                                    .fields = kLlamaMappings,
                                    .fixed_options = kLlamaOptions,
                                    .harmless_fields = kLlamaHarmless,
                                    .harmless_options = kLanguageModelHarmlessOptions};

void read_common(FolderReader& in, int64_t head_size = 0) {
  in.config.require("rope_interleaved", false);
  read_heads(in, head_size);
  read_rotary(in);
  read_tokens(in);
}

void write_common(FolderWriter& out) {
  write_heads(out);
  write_rotary(out);
  write_tokens(out);
}

void read_llama(FolderReader& in) {
  read_common(in);
  read_bias(in, "attention_bias", "attention-bias", false);
  read_bias(in, "mlp_bias", "transformer-ffn-bias", false);
}

void write_llama(FolderWriter& out) {
  write_common(out);
  out.config["attention_bias"] = out.options.at("attention-bias");
  out.config["mlp_bias"] = out.options.value("transformer-ffn-bias", true);
}

void no_biases(ImportedContents& out, const std::string& where) {
  out.set("attention-bias", false, where);
  out.set("transformer-ffn-bias", false, where);
}

void read_mistral(FolderReader& in) {
  read_common(in);
  read_window(in);
  no_biases(in.out, in.config.where());
}

void write_mistral(FolderWriter& out) {
  write_common(out);
  write_window(out);
}

// With use_sliding_window, the layers from max_window_layers on have a window.
void read_upper_windows(FolderReader& in) {
  Fields& config = in.config;
  constexpr const char *kUses = "use_sliding_window", *kLowest = "max_window_layers";
  const bool uses = config.take_bool_or(kUses, false);
  const int64_t lowest = config.take_integer_or(kLowest, 28);
  const auto is_full = [&](int64_t layer) { return !uses || layer < lowest; };
  WindowLayers layers{.is_full = read_layer_types(config, is_full)};
  if (layers.any() && !uses) {
    config.refuse("field 'layer_types' is not supported as {} without {}; expected full_attention",
                  short_text(config.take("layer_types")), kUses);
  }
  if (layers.any()) layers.window = take_window(config);
  const std::string_view unused[] = {"sliding_window"};
  config.ignore(unused);
  set_window_layers(layers, config.where_of("layer_types"), in.out);
}

void write_upper_windows(FolderWriter& out) {
  const WindowLayers layers = window_layers_of(out.options);
  out.config["use_sliding_window"] = layers.any();
  if (!layers.any()) return;
  out.config["sliding_window"] = layers.window;
  out.config["layer_types"] = layer_types_of(layers);
  out.config["max_window_layers"] =
      std::ranges::find(layers.is_full, false) - layers.is_full.begin();
}

void read_qwen2(FolderReader& in) {
  read_common(in);
  read_upper_windows(in);
  no_biases(in.out, in.config.where());
  in.out.set("attention-bias", true, in.config.where());
  in.out.set("attention-output-bias", false, in.config.where());
}

void write_qwen2(FolderWriter& out) {
  write_common(out);
  write_upper_windows(out);
}

constexpr int64_t kQwen3HeadSize = 128;

void read_qwen3(FolderReader& in) {
  read_common(in, kQwen3HeadSize);
  read_upper_windows(in);
  no_biases(in.out, in.config.where());
  read_bias(in, "attention_bias", "attention-bias", false);
  in.out.set("attention-qk-norm", "rms", in.config.where());
}

void write_qwen3(FolderWriter& out) {
  write_qwen2(out);
  out.config["attention_bias"] = out.options.at("attention-bias");
}

NameMap llama_names(const Json& options) {
  NameMap out{
      .mappings = {{.theirs = "model.embed_tokens.weight",
                    .ours = {"model.decoder.embed_tokens.weight"}},
                   {.theirs = "model.norm.weight", .ours = {"model.decoder.layer_norm.weight"}},
                   {.theirs = "lm_head.weight", .ours = {"lm_head.weight"}}},
      .extras = {{"model.layers.*.self_attn.rotary_emb.inv_freq"}}};
  constexpr const char* kLayer[][2] = {
      {"self_attn_layer_norm", "input_layernorm"},
      {"self_attn.q_proj", "self_attn.q_proj"},
      {"self_attn.k_proj", "self_attn.k_proj"},
      {"self_attn.v_proj", "self_attn.v_proj"},
      {"self_attn.out_proj", "self_attn.o_proj"},
      {"self_attn.q_norm", "self_attn.q_norm"},
      {"self_attn.k_norm", "self_attn.k_norm"},
      {"final_layer_norm", "post_attention_layernorm"},
      {"gate", "mlp.gate_proj"},
      {"fc1", "mlp.up_proj"},
      {"fc2", "mlp.down_proj"},
  };
  for (const auto& [ours, theirs] : kLayer) {
    out.mappings.push_back({.theirs = fmt::format("model.layers.*.{}.*", theirs),
                            .ours = {fmt::format("model.decoder.layers.*.{}.*", ours)}});
  }
  if (options.at("tied-embeddings")) {
    out.extras.push_back({.theirs = "lm_head.weight", .same_as = "model.embed_tokens.weight"});
  }
  return out;
}

constexpr Architecture llama_like(std::string_view name, std::string_view model_type,
                                  std::string_view model_class, void (*read)(FolderReader&),
                                  void (*write)(FolderWriter&)) {
  return {.name = name,
          .model_type = model_type,
          .model_class = model_class,
          .kind = LanguageModelSession::kKind,
          .config = kLlamaConfig,
          .names = llama_names,
          .read = read,
          .write = write};
}

}  // namespace

const Architecture kLlama =
    llama_like("Llama", "llama", "LlamaForCausalLM", read_llama, write_llama);
const Architecture kMistral =
    llama_like("Mistral", "mistral", "MistralForCausalLM", read_mistral, write_mistral);
const Architecture kQwen2 =
    llama_like("Qwen2", "qwen2", "Qwen2ForCausalLM", read_qwen2, write_qwen2);
const Architecture kQwen3 =
    llama_like("Qwen3", "qwen3", "Qwen3ForCausalLM", read_qwen3, write_qwen3);

}  // namespace weft::model_file
