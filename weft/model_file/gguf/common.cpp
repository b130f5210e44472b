#include "weft/model_file/gguf/common.h"

#include <fmt/core.h>

namespace weft::model_file {

int64_t gguf_key_size(Fields& config) {
  const int64_t H = config.take_integer("attention.head_count");
  if (H < 1) config.refuse("field 'attention.head_count': expected at least 1, got {}", H);
  return config.take_integer_or("attention.key_length",
                                config.take_integer("embedding_length") / H);
}

void read_gguf_heads(GgufReader& in) {
  Fields& config = in.config;
  config.require("rope.dimension_count", gguf_key_size(config));
  const int64_t D = config.take_integer("embedding_length");
  const int64_t H = config.take_integer("attention.head_count");
  const int64_t key_heads = config.take_integer_or("attention.head_count_kv", H);
  in.out.set("transformer-key-heads", key_heads == H ? 0 : key_heads,
             config.where_of("attention.head_count_kv"));
  const auto size = [&](const char* field, const char* option) {
    const int64_t K = config.take_integer_or(field, D / H);
    in.out.set(option, D % H == 0 && K == D / H ? 0 : K, config.where_of(field));
  };
  size("attention.key_length", "transformer-dim-key");
  size("attention.value_length", "transformer-dim-value");
}

void write_gguf_heads(GgufWriter& out) {
  const auto number = [&](const char* option) { return out.options.at(option).get<int64_t>(); };
  const int64_t D = number("dim-emb"), H = number("transformer-heads");
  const auto or_default = [&](const char* option, int64_t missing) {
    return number(option) == 0 ? missing : number(option);
  };
  const int64_t K = or_default("transformer-dim-key", D / H);
  out.config["attention.head_count_kv"] = or_default("transformer-key-heads", H);
  out.config["attention.key_length"] = K;
  out.config["attention.value_length"] = or_default("transformer-dim-value", D / H);
  out.config["rope.dimension_count"] = K;
}

void read_gguf_rotary(GgufReader& in) {
  Fields& config = in.config;
  const char* kType = "rope.scaling.type";
  const Json type = config.take_or(kType, "none");
  if (type == "none") return;
  if (type != "linear" && type != "yarn") {
    config.refuse("field '{}' is not supported as {}; expected none, linear or yarn", kType,
                  short_text(type));
  }
  in.out.set("rotary-scaling", type, config.where_of(kType));
  const auto set = [&](const char* field, const char* option) {
    in.out.set(option, config.take(field), config.where_of(field));
  };
  set("rope.scaling.factor", "rotary-factor");
  if (type == "yarn") set("rope.scaling.original_context_length", "rotary-trained-positions");
}

void write_gguf_rotary(GgufWriter& out) {
  const std::string type = out.options.value("rotary-scaling", "none");
  if (type != "linear" && type != "yarn") return;
  out.config["rope.scaling.type"] = type;
  out.config["rope.scaling.factor"] = out.options.value("rotary-factor", 2.0);
  if (type == "linear") return;
  out.config["rope.scaling.original_context_length"] =
      out.options.value("rotary-trained-positions", int64_t{8192});
}

void read_gguf_tensors(GgufReader& in) {
  const std::string& where = in.config.where();
  const auto has = [&](const char* name) { return in.has_tensor(name); };
  in.out.set("tied-embeddings", !has("output.weight"), where);
  in.out.set("attention-bias", has("blk.0.attn_q.bias"), where);
  if (has("blk.0.attn_q.bias") && !has("blk.0.attn_output.bias")) {
    in.out.set("attention-output-bias", false, where);
  }
  in.out.set("transformer-ffn-bias", has("blk.0.ffn_up.bias"), where);
  if (has("blk.0.attn_q_norm.weight")) in.out.set("attention-qk-norm", "rms", where);
}

NameMap gguf_layer_names() {
  NameMap out{
      .mappings = {{.theirs = "token_embd.weight", .ours = {"model.decoder.embed_tokens.weight"}},
                   {.theirs = "output_norm.weight", .ours = {"model.decoder.layer_norm.weight"}},
                   {.theirs = "output.weight", .ours = {"lm_head.weight"}}}};
  constexpr const char* kLayer[][2] = {
      {"self_attn_layer_norm", "attn_norm"},
      {"self_attn.q_proj", "attn_q"},
      {"self_attn.k_proj", "attn_k"},
      {"self_attn.v_proj", "attn_v"},
      {"self_attn.out_proj", "attn_output"},
      {"self_attn.q_norm", "attn_q_norm"},
      {"self_attn.k_norm", "attn_k_norm"},
      {"final_layer_norm", "ffn_norm"},
      {"gate", "ffn_gate"},
      {"fc1", "ffn_up"},
      {"fc2", "ffn_down"},
  };
  for (const auto& [ours, theirs] : kLayer) {
    out.mappings.push_back({.theirs = fmt::format("blk.*.{}.*", theirs),
                            .ours = {fmt::format("model.decoder.layers.*.{}.*", ours)}});
  }
  return out;
}

}  // namespace weft::model_file
