#include "weft/model_file/hugging_face/language_models/gemma3.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/model_file/hugging_face/language_models/common.h"
#include "weft/model_file/hugging_face/language_models/rotary.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kGemma3Fields[] = {{"is_encoder_decoder", "false"},
                                        {"use_bidirectional_attention", "false"}};

constexpr FieldMapping kGemma3Mappings[] = {
    {"vocab_size", "vocab-size"},
    {"hidden_size", "dim-emb"},
    {"num_hidden_layers", "dec-depth"},
    {"num_attention_heads", "transformer-heads"},
    {"intermediate_size", "transformer-dim-ffn"},
    {.field = "hidden_activation",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu_pytorch_tanh")",
     .values = kHiddenActivations},
    {"max_position_embeddings", "max-positions"},
    {"rms_norm_eps", "norm-epsilon", "1e-6"},
    {"attention_dropout", "transformer-dropout-attention", "0.0"},
    {"tie_word_embeddings", "tied-embeddings", "true"},
    {"attention_bias", "attention-bias", "false"},
    {"final_logit_softcapping", "output-soft-cap", "0.0"},
};

constexpr FixedValue kGemma3Options[] = {
    {"transformer-norm", R"("sandwich")"},
    {"norm-kind", R"("rms")"},
    {"transformer-ffn-gated", "true"},
    {"transformer-ffn-bias", "false"},
    {"output-bias", "false"},
    {"embedding-scale", R"("auto")"},
    {"transformer-dropout", "0"},
    {"attention-qk-norm", R"("rms")"},
};

constexpr std::string_view kGemma3Harmless[] = {
    "initializer_range",
    "pad_token_id",
    "id2label",
    "label2id",
    "problem_type",
    "_num_labels",
    "cache_implementation",
    "chunk_size_feed_forward",
    "_sliding_window_pattern",  // as layer_types says
};

constexpr int64_t kGemma3HeadSize = 256;

// The scalar whose inverse root multiplies scores; 0: K.
void read_score_scale(FolderReader& in) {
  Fields& config = in.config;
  constexpr const char *kField = "query_pre_attn_scalar", *kHeadSize = "head_dim";
  const int64_t K = config.take_integer_or(kHeadSize, kGemma3HeadSize);
  const Json scalar = config.take_or(kField, 256);
  if (!scalar.is_number() || scalar <= 0) {
    config.refuse("field '{}': expected a positive number, got {}", kField, short_text(scalar));
  }
  in.out.set("attention-scale", scalar == K ? 0 : 1 / std::sqrt(scalar.get<double>()),
             config.where_of(kField));
}

void write_score_scale(FolderWriter& out) {
  const double scale = out.options.at("attention-scale");
  out.config["query_pre_attn_scalar"] =
      scale == 0 ? out.config.at("head_dim") : Json(std::llround(1 / (scale * scale)));
}

// Whether there are layers with a window.
bool read_layers(FolderReader& in) {
  Fields& config = in.config;
  constexpr const char* kPattern = "sliding_window_pattern";
  const int64_t pattern = config.take_integer_or(kPattern, 6);
  if (pattern < 1) config.refuse("field '{}': expected at least 1, got {}", kPattern, pattern);
  const auto is_full = [&](int64_t layer) { return (layer + 1) % pattern == 0; };
  WindowLayers layers{.is_full = read_layer_types(config, is_full), .window = take_window(config)};
  set_window_layers(layers, config.where_of("layer_types"), in.out);
  return layers.any();
}

void write_layers(FolderWriter& out) {
  const WindowLayers layers = window_layers_of(out.options);
  out.config["layer_types"] = layer_types_of(layers);
  out.config["sliding_window"] = std::max<int64_t>(layers.window, 1);
}

void read_gemma3(FolderReader& in) {
  in.config.take("num_key_value_heads");  // no default of H here
  read_heads(in, kGemma3HeadSize);
  read_score_scale(in);
  read_two_rotations(in,
                     {.base = "rope_theta",
                      .missing_base = 1e6,
                      .local_base = "rope_local_base_freq",
                      .missing_local_base = 1e4},
                     read_layers(in));
  read_tokens(in);
}

void write_gemma3(FolderWriter& out) {
  write_heads(out);
  write_score_scale(out);
  write_layers(out);
  write_rotary(out);
  const double local = out.options.value("rotary-local-base", 0.0);
  out.config["rope_local_base_freq"] = local != 0 ? Json(local) : out.config.at("rope_theta");
  write_tokens(out);
}

// Norms are stored less one.
NameMap gemma3_names(const Json& options) {
  NameMap out{
      .mappings = {
          {.theirs = "model.embed_tokens.weight", .ours = {"model.decoder.embed_tokens.weight"}},
          {.theirs = "model.norm.weight", .ours = {"model.decoder.layer_norm.weight"}, .added = 1},
          {.theirs = "lm_head.weight", .ours = {"lm_head.weight"}}}};
  const auto add = [&](const char* ours, const char* theirs, bool is_norm) {
    out.mappings.push_back({.theirs = fmt::format("model.layers.*.{}.*", theirs),
                            .ours = {fmt::format("model.decoder.layers.*.{}.*", ours)},
                            .added = is_norm ? 1.0F : 0.0F});
  };
  add("self_attn_layer_norm", "input_layernorm", true);
  add("self_attn_output_norm", "post_attention_layernorm", true);
  add("final_layer_norm", "pre_feedforward_layernorm", true);
  add("final_output_norm", "post_feedforward_layernorm", true);
  add("self_attn.q_norm", "self_attn.q_norm", true);
  add("self_attn.k_norm", "self_attn.k_norm", true);
  for (const char* part : {"q", "k", "v"}) {
    const std::string name = fmt::format("self_attn.{}_proj", part);
    add(name.c_str(), name.c_str(), false);
  }
  add("self_attn.out_proj", "self_attn.o_proj", false);
  add("gate", "mlp.gate_proj", false);
  add("fc1", "mlp.up_proj", false);
  add("fc2", "mlp.down_proj", false);
  if (options.at("tied-embeddings")) {
    out.extras.push_back({.theirs = "lm_head.weight", .same_as = "model.embed_tokens.weight"});
  }
  return out;
}

}  // namespace

const Architecture kGemma3 = {.name = "Gemma 3",
                              .model_type = "gemma3_text",
                              .model_class = "Gemma3ForCausalLM",
                              .kind = LanguageModelSession::kKind,
                              .config = {.fixed_fields = kGemma3Fields,
                                         .fields = kGemma3Mappings,
                                         .fixed_options = kGemma3Options,
                                         .harmless_fields = kGemma3Harmless,
                                         .harmless_options = kLanguageModelHarmlessOptions},
                              .names = gemma3_names,
                              .read = read_gemma3,
                              .write = write_gemma3};

}  // namespace weft::model_file
