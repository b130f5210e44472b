#include "weft/model_file/gguf/gemma3.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/model_file/foreign/window_layers.h"
#include "weft/model_file/gguf/common.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kGgufGemma3Fields[] = {{"attention.causal", "true"}};

constexpr FieldMapping kGgufGemma3Mappings[] = {
    {"context_length", "max-positions"},
    {"embedding_length", "dim-emb"},
    {"block_count", "dec-depth"},
    {"attention.head_count", "transformer-heads"},
    {"feed_forward_length", "transformer-dim-ffn"},
    {"attention.layer_norm_rms_epsilon", "norm-epsilon"},
    {"rope.freq_base", "rotary-base", "10000.0"},
    {"final_logit_softcapping", "output-soft-cap", "0.0"},
};

constexpr FixedValue kGgufGemma3Options[] = {
    {"transformer-norm", R"("sandwich")"},
    {"norm-kind", R"("rms")"},
    {"position", R"("rotary")"},
    {"transformer-ffn-gated", "true"},
    {"output-bias", "false"},
    {"embedding-scale", R"("auto")"},
    {"transformer-dropout", "0"},
    {"transformer-ffn-activation", R"("gelu-tanh")"},
};

constexpr std::string_view kGgufGemma3Harmless[] = {"rope.scaling.finetuned"};

// Files do not say the factor on scores. llama.cpp knows the model of another one, of 27 billion
// parameters, by its layers.
void read_gguf_score_scale(GgufReader& in) {
  constexpr int64_t kLayersOf27B = 62;
  if (in.config.take_integer("block_count") != kLayersOf27B) return;
  const auto D = static_cast<double>(in.config.take_integer("embedding_length"));
  const auto H = static_cast<double>(in.config.take_integer("attention.head_count"));
  in.out.set("attention-scale", std::sqrt(H / D), in.config.where());
}

// Of `layers` layers; by default the last of each 6 has full attention.
std::vector<bool> gguf_full_layers(Fields& config, int64_t layers) {
  constexpr const char* kField = "attention.sliding_window_pattern";
  const Json pattern = config.take_or(kField, 6);
  const auto count = static_cast<size_t>(layers);
  std::vector<bool> out(count);
  for (size_t i = 0; i < count; ++i) {
    if (pattern.is_number_integer() && pattern >= 0) {
      const auto every = pattern.get<size_t>();
      out[i] = every > 0 && i % every == every - 1;
    } else if (pattern.is_array() && pattern.size() == count && pattern[i].is_boolean()) {
      out[i] = !pattern[i].get<bool>();
    } else {
      config.refuse("field '{}': expected a number or {} booleans, got {}", kField, count,
                    short_text(pattern));
    }
  }
  return out;
}

// Layers with a window rotate by a base of their own and without scaling.
void read_gguf_windows(GgufReader& in) {
  Fields& config = in.config;
  constexpr const char *kWindow = "attention.sliding_window", *kBase = "rope.freq_base_swa";
  const int64_t window = config.take_integer_or(kWindow, 0);
  const Json base = config.take_or(kBase, 10000.0);
  const auto layers = std::clamp<int64_t>(config.take_integer("block_count"), 0, kMaxLayers);
  WindowLayers out{.is_full = gguf_full_layers(config, layers), .window = window};
  if (window <= 0 || !out.any()) return;
  set_window_layers(out, config.where_of(kWindow), in.out);
  in.out.set("rotary-local-base", base, config.where_of(kBase));
}

void read_gguf_gemma3(GgufReader& in) {
  read_gguf_heads(in);
  read_gguf_rotary(in);
  read_gguf_tensors(in);
  read_gguf_score_scale(in);
  read_gguf_windows(in);
}

// The number of a pattern of every n-th layer, which readers of this architecture know, or else
// what each layer is.
Json gguf_window_pattern(const std::vector<bool>& is_full) {
  const auto first = std::ranges::find(is_full, true) - is_full.begin();
  const int64_t every = first == std::ssize(is_full) ? 0 : first + 1;
  Json out = Json::array();
  bool is_periodic = true;
  for (int64_t i = 0; i < std::ssize(is_full); ++i) {
    const bool full = is_full[static_cast<size_t>(i)];
    is_periodic = is_periodic && full == (every > 0 && i % every == every - 1);
    out.push_back(!full);
  }
  return is_periodic ? Json(every) : out;
}

void write_gguf_gemma3(GgufWriter& out) {
  write_gguf_heads(out);
  write_gguf_rotary(out);
  const WindowLayers layers = window_layers_of(out.options);
  if (!layers.any()) return;
  out.config["attention.sliding_window"] = layers.window;
  out.config["attention.sliding_window_pattern"] = gguf_window_pattern(layers.is_full);
  const double base = out.options.value("rotary-local-base", 0.0);
  if (base == 0) {
    fail<OptionError>("--rotary-local-base",
                      "gemma3 models in GGUF have a base of layers with a window; expected a "
                      "positive number, got 0");
  }
  out.config["rope.freq_base_swa"] = base;
}

// Norms are stored as they are, unlike in folders of Transformers.
NameMap gguf_gemma3_names(const Json&) {
  NameMap out = gguf_layer_names();
  constexpr const char* kOutputNorms[][2] = {{"self_attn_output_norm", "post_attention_norm"},
                                             {"final_output_norm", "post_ffw_norm"}};
  for (const auto& [ours, theirs] : kOutputNorms) {
    out.mappings.push_back({.theirs = fmt::format("blk.*.{}.*", theirs),
                            .ours = {fmt::format("model.decoder.layers.*.{}.*", ours)}});
  }
  return out;
}

}  // namespace

const GgufArchitecture kGgufGemma3 = {.name = "gemma3",
                                      .kind = LanguageModelSession::kKind,
                                      .config = {.fixed_fields = kGgufGemma3Fields,
                                                 .fields = kGgufGemma3Mappings,
                                                 .fixed_options = kGgufGemma3Options,
                                                 .harmless_fields = kGgufGemma3Harmless,
                                                 .harmless_options = kGgufHarmlessOptions},
                                      .names = gguf_gemma3_names,
                                      .read = read_gguf_gemma3,
                                      .write = write_gguf_gemma3};

}  // namespace weft::model_file
