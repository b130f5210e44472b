#include "weft/model_file/gguf/llama.h"

#include <fmt/core.h>

#include "weft/model_file/gguf/common.h"
#include "weft/model_file/gguf/rope_factors.h"
#include "weft/model_file/language_model.h"

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
                                        .harmless_fields = kGgufLlamaHarmless,
                                        .harmless_options = kGgufHarmlessOptions};

void read_gguf_qwen(GgufReader& in) {
  read_gguf_heads(in);
  read_gguf_rotary(in);
  read_gguf_tensors(in);
}

void read_gguf_llama(GgufReader& in) {
  read_gguf_qwen(in);
  read_rope_factors(in);
}

// Throws OptionError unless the option has this value, which this architecture implies.
void require_option(const GgufWriter& out, const char* option, const Json& value,
                    const Json& missing) {
  const Json given = out.options.value(option, missing);
  if (given == value) return;
  fail<OptionError>(std::string("--") + option, "is {}; expected {}", short_text(given),
                    short_text(value));
}

void write_gguf_llama(GgufWriter& out) {
  require_option(out, "attention-qk-norm", "none", "none");
  if (out.options.at("attention-bias")) require_option(out, "attention-output-bias", true, true);
  write_gguf_heads(out);
  write_gguf_rotary(out);
  write_rope_factors(out);
}

void write_gguf_qwen(GgufWriter& out) {
  require_option(out, "transformer-ffn-bias", false, true);
  write_gguf_heads(out);
  write_gguf_rotary(out);
}

void write_gguf_qwen2(GgufWriter& out) {
  require_option(out, "attention-qk-norm", "none", "none");
  require_option(out, "attention-bias", true, true);
  require_option(out, "attention-output-bias", false, true);
  write_gguf_qwen(out);
}

void write_gguf_qwen3(GgufWriter& out) {
  require_option(out, "attention-qk-norm", "rms", "none");
  require_option(out, "attention-bias", false, true);
  write_gguf_qwen(out);
}

NameMap plain_names(const Json&) { return gguf_layer_names(); }

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
  NameMap out = gguf_layer_names();
  out.extras.push_back({"rope_freqs.weight"});  // read with the metadata
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

const GgufArchitecture kGgufLlama = {.name = "llama",
                                     .kind = LanguageModelSession::kKind,
                                     .config = kGgufLlamaConfig,
                                     .names = permuted_names,
                                     .read = read_gguf_llama,
                                     .write = write_gguf_llama};
const GgufArchitecture kGgufQwen2 = {.name = "qwen2",
                                     .kind = LanguageModelSession::kKind,
                                     .config = kGgufLlamaConfig,
                                     .names = plain_names,
                                     .read = read_gguf_qwen,
                                     .write = write_gguf_qwen2};
const GgufArchitecture kGgufQwen3 = {.name = "qwen3",
                                     .kind = LanguageModelSession::kKind,
                                     .config = kGgufLlamaConfig,
                                     .names = plain_names,
                                     .read = read_gguf_qwen,
                                     .write = write_gguf_qwen3};

}  // namespace weft::model_file
