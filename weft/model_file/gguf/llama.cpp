#include "weft/model_file/gguf/llama.h"

#include <fmt/core.h>

namespace weft::model_file {
namespace {

constexpr FixedValue kGgufLlamaFields[] = {{"expert_count", "0"}, {"attention.causal", "true"}};

constexpr FieldMapping kGgufLlamaMappings[] = {
    {"context_length", "max-positions"},
    {"embedding_length", "dim-emb"},
    {"block_count", "dec-depth"},
    {"attention.head_count", "transformer-heads"},
    {"feed_forward_length", "transformer-dim-ffn"},
    {"attention.layer_norm_rms_epsilon", "norm-epsilon"},
    {"rope.freq_base", "rotary-base", "10000.0"},
};

constexpr FixedValue kGgufLlamaOptions[] = {
    {"transformer-norm", R"("pre")"}, {"norm-kind", R"("rms")"},
    {"position", R"("rotary")"},      {"transformer-ffn-gated", "true"},
    {"output-bias", "false"},         {"embedding-scale", "1"},
    {"transformer-dropout", "0"},     {"transformer-ffn-activation", R"("silu")"},
};

constexpr std::string_view kGgufLlamaHarmless[] = {"rope.scaling.finetuned", "expert_used_count"};

constexpr ConfigMap kGgufLlamaConfig = {.fixed_fields = kGgufLlamaFields,
                                        .fields = kGgufLlamaMappings,
                                        .fixed_options = kGgufLlamaOptions,
                                        .harmless_fields = kGgufLlamaHarmless};

int64_t gguf_integer_or(Fields& config, const char* field, int64_t missing) {
  return config.has(field) ? config.take_integer(field) : missing;
}

void read_gguf_heads(GgufReader& in) {
  Fields& config = in.config;
  const int64_t D = config.take_integer("embedding_length");
  const int64_t H = config.take_integer("attention.head_count");
  const int64_t key_heads = gguf_integer_or(config, "attention.head_count_kv", H);
  if (H < 1) config.refuse("field 'attention.head_count': expected at least 1, got {}", H);
  in.out.set("transformer-key-heads", key_heads == H ? 0 : key_heads,
             config.where_of("attention.head_count_kv"));
  const auto size = [&](const char* field, const char* option) {
    const int64_t K = gguf_integer_or(config, field, D / H);
    in.out.set(option, D % H == 0 && K == D / H ? 0 : K, config.where_of(field));
    return K;
  };
  const int64_t K = size("attention.key_length", "transformer-dim-key");
  size("attention.value_length", "transformer-dim-value");
  config.require("rope.dimension_count", K);
}

void read_gguf_rotary(GgufReader& in) {
  Fields& config = in.config;
  const char* kType = "rope.scaling.type";
  const Json type = config.has(kType) ? config.take(kType) : Json("none");
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

// What the tensors tell.
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

void read_gguf_llama(GgufReader& in) {
  read_gguf_heads(in);
  read_gguf_rotary(in);
  read_gguf_tensors(in);
}

NameMap gguf_llama_names() {
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

NameMap plain_names(const Json&) { return gguf_llama_names(); }

// Where a feature of queries or keys of K features a head is: a pair that is rotated together is
// two neighbours there, and K / 2 apart here.
Permutation interleaved(int64_t K) {
  return [K](int64_t i, int64_t) {
    const int64_t in_head = i % K;
    return i - in_head + 2 * (in_head % (K / 2)) + in_head / (K / 2);
  };
}

NameMap permuted_names(const Json& options) {
  const auto number = [&](const char* option) { return options.at(option).get<int64_t>(); };
  const int64_t given = number("transformer-dim-key");
  const Permutation pairs =
      interleaved(given != 0 ? given : number("dim-emb") / number("transformer-heads"));
  NameMap out = gguf_llama_names();
  for (const char* part : {"q", "k"}) {
    const auto add = [&](const char* what, const Permutation& rows, const Permutation& cols) {
      out.mappings.insert(
          out.mappings.begin(),
          {.theirs = fmt::format("blk.*.attn_{}.{}", part, what),
           .ours = {fmt::format("model.decoder.layers.*.self_attn.{}_proj.{}", part, what)},
           .rows = rows,
           .cols = cols});
    };
    add("weight", pairs, {});
    add("bias", {}, pairs);
  }
  return out;
}

}  // namespace

const GgufArchitecture kGgufLlama = {
    .name = "llama", .config = kGgufLlamaConfig, .names = permuted_names, .read = read_gguf_llama};
const GgufArchitecture kGgufQwen2 = {
    .name = "qwen2", .config = kGgufLlamaConfig, .names = plain_names, .read = read_gguf_llama};
const GgufArchitecture kGgufQwen3 = {
    .name = "qwen3", .config = kGgufLlamaConfig, .names = plain_names, .read = read_gguf_llama};

}  // namespace weft::model_file
