#include "weft/model_file/gguf/bert.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "weft/model_file/embedder.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kGgufBertFields[] = {{"attention.causal", "false"}};

constexpr const char *kPoolingType = "pooling_type", *kMaxLength = "max_length",
                     *kContextLength = "context_length";

constexpr FieldMapping kGgufBertMappings[] = {
    {kContextLength, "max-positions"},
    {"embedding_length", "dim-emb"},
    {"block_count", "enc-depth"},
    {"attention.head_count", "transformer-heads"},
    {"feed_forward_length", "transformer-dim-ffn"},
    {"attention.layer_norm_epsilon", "norm-epsilon"},
    // llama.cpp makes vectors length one unless asked not to.
    {.field = "normalise", .option = "normalise", .missing = "true", .is_own = true},
    {.field = "similarity", .option = "similarity", .missing = R"("cosine")", .is_own = true},
    {.field = "prompt_names", .option = "prompt-names", .missing = "[]", .is_own = true},
    {.field = "prompt_texts", .option = "prompt-texts", .missing = "[]", .is_own = true},
    {.field = "default_prompt", .option = "default-prompt", .missing = R"("")", .is_own = true},
};

constexpr FixedValue kGgufBertOptions[] = {
    {"architecture", R"("transformer")"},
    {"transformer-norm", R"("post")"},
    {"norm-kind", R"("layer")"},
    {"position", R"("learned")"},
    {"embedding-scale", "1.0"},
    {"embedding-norm", "true"},
    {"begin-symbol", "true"},
    {"transformer-ffn-activation", R"("gelu")"},
    {"dense-sizes", "[]"},
};

// Options of training.
constexpr std::string_view kGgufBertHarmlessOptions[] = {"word-dropout", "transformer-dropout",
                                                         "transformer-dropout-attention",
                                                         "transformer-dropout-ffn", "drop-path"};

// The numbers of llama.cpp's kinds of pooling.
constexpr std::pair<int, std::string_view> kGgufPoolings[] = {
    {1, "mean"}, {2, "first"}, {3, "last"}};
constexpr int64_t kGgufSymbolsAround = 2;  // of a text

void read_gguf_bert(GgufReader& in) {
  Fields& config = in.config;
  const int64_t pooling = config.take_integer(kPoolingType);
  const auto* const found =
      std::ranges::find(kGgufPoolings, pooling, [](const auto& one) { return int64_t{one.first}; });
  if (found == std::end(kGgufPoolings)) {
    config.refuse("field '{}' is not supported as {}; expected 1 (mean), 2 (first) or 3 (last)",
                  kPoolingType, pooling);
  }
  in.out.set("pooling", found->second, config.where_of(kPoolingType));
  in.out.set("token-types", in.token_types, config.where());
  const int64_t positions = config.take_integer(kContextLength);
  if (positions <= kGgufSymbolsAround) {
    config.refuse("field '{}': expected more than the {} special symbols of a text, got {}",
                  kContextLength, kGgufSymbolsAround, positions);
  }
  const int64_t length = config.take_integer_or(kMaxLength, positions - kGgufSymbolsAround);
  if (length < 1 || length > positions - kGgufSymbolsAround) {
    config.refuse("field '{}': expected 1 to {}, got {}", kMaxLength,
                  positions - kGgufSymbolsAround, length);
  }
  in.out.set("max-length", length, config.where());
}

void write_gguf_bert(GgufWriter& out) {
  const Json pooling = out.options.at("pooling");
  const auto* const found =
      std::ranges::find_if(kGgufPoolings, [&](const auto& one) { return pooling == one.second; });
  if (found == std::end(kGgufPoolings)) {
    fail<OptionError>("--pooling", "embedders in GGUF support only mean, first and last, got {}",
                      short_text(pooling));
  }
  out.config[kPoolingType] = found->first;
  const int64_t length = out.options.at("max-length");
  const int64_t most = out.options.at("max-positions").get<int64_t>() - kGgufSymbolsAround;
  if (length > 0 && length < most) out.config[kMaxLength] = length;
}

NameMap gguf_bert_names(const Json& options) {
  NameMap out{
      .mappings = {
          {.theirs = "token_embd.weight", .ours = {"model.encoder.embed_tokens.weight"}},
          {.theirs = "position_embd.weight", .ours = {"model.encoder.embed_positions.weight"}},
          {.theirs = "token_types.weight",
           .ours = {"model.encoder.embed_token_types.weight"},
           .shape = {options.value("token-types", int64_t{0}),
                     options.at("dim-emb").get<int64_t>()}},
          {.theirs = "token_embd_norm.*", .ours = {"model.encoder.layernorm_embedding.*"}}}};
  constexpr const char* kLayer[][2] = {{"self_attn.q_proj", "attn_q"},
                                       {"self_attn.k_proj", "attn_k"},
                                       {"self_attn.v_proj", "attn_v"},
                                       {"self_attn.out_proj", "attn_output"},
                                       {"self_attn_layer_norm", "attn_output_norm"},
                                       {"fc1", "ffn_up"},
                                       {"fc2", "ffn_down"},
                                       {"final_layer_norm", "layer_output_norm"}};
  for (const auto& [ours, theirs] : kLayer) {
    out.mappings.push_back({.theirs = fmt::format("blk.*.{}.*", theirs),
                            .ours = {fmt::format("model.encoder.layers.*.{}.*", ours)}});
  }
  return out;
}

}  // namespace

const GgufArchitecture kGgufBert = {.name = "bert",
                                    .kind = EmbedderSession::kKind,
                                    .config = {.fixed_fields = kGgufBertFields,
                                               .fields = kGgufBertMappings,
                                               .fixed_options = kGgufBertOptions,
                                               .harmless_options = kGgufBertHarmlessOptions},
                                    .names = gguf_bert_names,
                                    .read = read_gguf_bert,
                                    .write = write_gguf_bert};

}  // namespace weft::model_file
