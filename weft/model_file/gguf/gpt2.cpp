#include "weft/model_file/gguf/gpt2.h"

#include <fmt/core.h>

#include "weft/model_file/gguf/common.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr FieldMapping kGgufGpt2Mappings[] = {
    {"context_length", "max-positions"},
    {"embedding_length", "dim-emb"},
    {"block_count", "dec-depth"},
    {"attention.head_count", "transformer-heads"},
    {"feed_forward_length", "transformer-dim-ffn"},
    {"attention.layer_norm_epsilon", "norm-epsilon"},
};

constexpr FixedValue kGgufGpt2Options[] = {
    {"transformer-norm", R"("pre")"}, {"norm-kind", R"("layer")"},
    {"position", R"("learned")"},     {"transformer-ffn-gated", "false"},
    {"output-bias", "false"},         {"embedding-scale", "1"},
    {"attention-bias", "true"},       {"transformer-dropout", "0"},
    {"transformer-ffn-bias", "true"}, {"transformer-ffn-activation", R"("gelu-tanh")"},
};

// Options of training.
constexpr std::string_view kGgufGpt2HarmlessOptions[] = {
    "transformer-dropout", "transformer-dropout-attention", "transformer-dropout-ffn", "drop-path"};

void read_gguf_gpt2(GgufReader& in) {
  in.out.set("tied-embeddings", !in.has_tensor("output.weight"), in.config.where());
}

void write_gguf_gpt2(GgufWriter&) {}

NameMap gguf_gpt2_names(const Json&) {
  NameMap out{
      .mappings = {
          {.theirs = "token_embd.weight", .ours = {"model.decoder.embed_tokens.weight"}},
          {.theirs = "position_embd.weight", .ours = {"model.decoder.embed_positions.weight"}},
          {.theirs = "output_norm.*", .ours = {"model.decoder.layer_norm.*"}},
          {.theirs = "output.weight", .ours = {"lm_head.weight"}}}};
  for (const char* what : {"weight", "bias"}) {
    NameMapping qkv{.theirs = fmt::format("blk.*.attn_qkv.{}", what), .ours = {}};
    for (const char* part : {"q", "k", "v"}) {
      qkv.ours.push_back(fmt::format("model.decoder.layers.*.self_attn.{}_proj.{}", part, what));
    }
    out.mappings.push_back(std::move(qkv));
  }
  constexpr const char* kLayer[][2] = {{"self_attn_layer_norm", "attn_norm"},
                                       {"self_attn.out_proj", "attn_output"},
                                       {"final_layer_norm", "ffn_norm"},
                                       {"fc1", "ffn_up"},
                                       {"fc2", "ffn_down"}};
  for (const auto& [ours, theirs] : kLayer) {
    out.mappings.push_back({.theirs = fmt::format("blk.*.{}.*", theirs),
                            .ours = {fmt::format("model.decoder.layers.*.{}.*", ours)}});
  }
  return out;
}

}  // namespace

const GgufArchitecture kGgufGpt2 = {.name = "gpt2",
                                    .kind = LanguageModelSession::kKind,
                                    .config = {.fields = kGgufGpt2Mappings,
                                               .fixed_options = kGgufGpt2Options,
                                               .harmless_options = kGgufGpt2HarmlessOptions},
                                    .names = gguf_gpt2_names,
                                    .read = read_gguf_gpt2,
                                    .write = write_gguf_gpt2};

}  // namespace weft::model_file
