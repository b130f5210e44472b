#include "weft/model_file/hugging_face/language_models/gpt2.h"

#include <fmt/core.h>

#include <algorithm>

#include "weft/model_file/hugging_face/language_models/common.h"
#include "weft/model_file/language_model.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kGpt2Fields[] = {
    {"is_encoder_decoder", "false"},
    {"scale_attn_weights", "true"},
    {"add_cross_attention", "false"},
    {"scale_attn_by_inverse_layer_idx", "false"},
};

// Missing fields have the values of GPT2Config.
constexpr FieldMapping kGpt2Mappings[] = {
    {"vocab_size", "vocab-size", "50257"},
    {"n_embd", "dim-emb", "768"},
    {"n_layer", "dec-depth", "12"},
    {"n_head", "transformer-heads", "12"},
    {.field = "activation_function",
     .option = "transformer-ffn-activation",
     .missing = R"("gelu_new")",
     .values = kHiddenActivations},
    {"n_positions", "max-positions", "1024"},
    {"layer_norm_epsilon", "norm-epsilon", "1e-5"},
    {"resid_pdrop", "transformer-dropout", "0.1"},
    {"attn_pdrop", "transformer-dropout-attention", "0.1"},
    {"tie_word_embeddings", "tied-embeddings", "true"},
};

constexpr FixedValue kGpt2Options[] = {
    {"transformer-norm", R"("pre")"}, {"norm-kind", R"("layer")"},
    {"position", R"("learned")"},     {"transformer-ffn-gated", "false"},
    {"output-bias", "false"},         {"embedding-scale", "1"},
    {"attention-bias", "true"},       {"transformer-ffn-bias", "true"},
};

// Initialisation, other heads, how the model was trained, and numerical details.
constexpr std::string_view kGpt2Harmless[] = {
    "initializer_range",
    "reorder_and_upcast_attn",
    "embd_pdrop",
    "n_ctx",
    "pad_token_id",
    "id2label",
    "label2id",
    "problem_type",
    "_num_labels",
    "chunk_size_feed_forward",
    "task_specific_params",
    "summary_type",
    "summary_use_proj",
    "summary_activation",
    "summary_proj_to_labels",
    "summary_first_dropout",
};

constexpr std::string_view kGpt2HarmlessOptions[] = {"transformer-dropout-ffn", "drop-path"};

constexpr int64_t kMostFeatures = 65536;

void read_gpt2(FolderReader& in) {
  constexpr const char* kInner = "n_inner";
  const int64_t D = in.config.take_integer_or("n_embd", 768);
  const int64_t F = in.config.take_integer_or(kInner, 4 * std::clamp<int64_t>(D, 0, kMostFeatures));
  in.out.set("transformer-dim-ffn", F, in.config.where_of(kInner));
  read_tokens(in);
}

void write_gpt2(FolderWriter& out) {
  out.config["n_inner"] = out.options.at("transformer-dim-ffn");
  out.config["embd_pdrop"] = out.options.at("transformer-dropout");
  write_tokens(out);
}

NameMap gpt2_names(const Json& options) {
  NameMap out{.mappings = {{.theirs = "transformer.wte.weight",
                            .ours = {"model.decoder.embed_tokens.weight"}},
                           {.theirs = "transformer.wpe.weight",
                            .ours = {"model.decoder.embed_positions.weight"}},
                           {.theirs = "transformer.ln_f.*", .ours = {"model.decoder.layer_norm.*"}},
                           {.theirs = "lm_head.weight", .ours = {"lm_head.weight"}}},
              .extras = {{"transformer.h.*.attn.bias"}, {"transformer.h.*.attn.masked_bias"}}};
  constexpr const char* kNorms[][2] = {{"self_attn_layer_norm", "ln_1"},
                                       {"final_layer_norm", "ln_2"}};
  for (const auto& [ours, theirs] : kNorms) {
    out.mappings.push_back({.theirs = fmt::format("transformer.h.*.{}.*", theirs),
                            .ours = {fmt::format("model.decoder.layers.*.{}.*", ours)}});
  }
  // Matrices are [inputs, outputs] there.
  constexpr const char* kLinear[][2] = {
      {"self_attn.out_proj", "attn.c_proj"}, {"fc1", "mlp.c_fc"}, {"fc2", "mlp.c_proj"}};
  const auto add_linear = [&](std::string_view theirs, const std::vector<std::string_view>& parts) {
    for (const std::string_view what : {"weight", "bias"}) {
      NameMapping one{.theirs = fmt::format("transformer.h.*.{}.{}", theirs, what),
                      .ours = {},
                      .is_transposed = what == "weight"};
      for (const std::string_view part : parts) {
        one.ours.push_back(fmt::format("model.decoder.layers.*.{}.{}", part, what));
      }
      out.mappings.push_back(std::move(one));
    }
  };
  for (const auto& [ours, theirs] : kLinear) add_linear(theirs, {ours});
  add_linear("attn.c_attn", {"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"});
  if (options.at("tied-embeddings")) {
    out.extras.push_back({.theirs = "lm_head.weight", .same_as = "transformer.wte.weight"});
  }
  return out;
}

}  // namespace

const Architecture kGpt2 = {.name = "GPT-2",
                            .model_type = "gpt2",
                            .model_class = "GPT2LMHeadModel",
                            .kind = LanguageModelSession::kKind,
                            .config = {.fixed_fields = kGpt2Fields,
                                       .fields = kGpt2Mappings,
                                       .fixed_options = kGpt2Options,
                                       .harmless_fields = kGpt2Harmless,
                                       .harmless_options = kGpt2HarmlessOptions},
                            .names = gpt2_names,
                            .optional_prefix = "transformer.",
                            .read = read_gpt2,
                            .write = write_gpt2};

}  // namespace weft::model_file
