#include "weft/model_file/hugging_face/t5/t5.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/model_file/hugging_face/language_models/common.h"
#include "weft/model_file/hugging_face/language_models/tokeniser_files.h"
#include "weft/model_file/hugging_face/length_penalty.h"
#include "weft/model_file/hugging_face/t5/tokeniser.h"
#include "weft/model_file/text_assets.h"
#include "weft/model_file/translator.h"

namespace weft::model_file {
namespace {

constexpr FixedValue kT5Fields[] = {{"is_encoder_decoder", "true"}, {"is_decoder", "false"}};

// Missing fields have the values of T5Config.
constexpr FieldMapping kT5Mappings[] = {
    {"d_model", "dim-emb", "512"},
    {"num_layers", "enc-depth", "6"},
    {"num_heads", "transformer-heads", "8"},
    {"d_ff", "transformer-dim-ffn", "2048"},
    {"relative_attention_num_buckets", "relative-buckets", "32"},
    {"relative_attention_max_distance", "relative-max-distance", "128"},
    {"layer_norm_epsilon", "norm-epsilon", "1e-6"},
    {"dropout_rate", "transformer-dropout", "0.1"},
    {"vocab_size", "source-vocab-size", "32128"},
    {"decoder_start_token_id", "begin-id", "0"},
    {"eos_token_id", "end-id", "1"},
    {.field = "target_length_ratio",
     .option = "target-length-ratio",
     .missing = "0.0",
     .is_own = true},
    {.field = "longest_target", .option = "longest-target", .missing = "0", .is_own = true},
};

constexpr FixedValue kT5Options[] = {
    {"architecture", R"("transformer")"},
    {"transformer-norm", R"("pre")"},
    {"norm-kind", R"("rms")"},
    {"position", R"("relative")"},
    {"attention-bias", "false"},
    {"transformer-ffn-bias", "false"},
    {"output-bias", "false"},
    {"attention-scale", "1.0"},
    {"embedding-scale", "1.0"},
};

// Initialisation, other heads, and how Transformers decodes.
constexpr std::string_view kT5Harmless[] = {
    "initializer_factor",   "classifier_dropout",   "n_positions", "output_past",
    "task_specific_params", "max_length",           "min_length",  "num_beams",
    "early_stopping",       "no_repeat_ngram_size", "id2label",    "label2id",
    "problem_type",
    "dense_act_fn",  // both are what feed_forward_proj says
    "is_gated_act",
};

// --transformer-dropout is that of all parts there; sizes of heads may be given or follow; tensors
// tell the ties; write_output() checks the scale.
constexpr std::string_view kT5HarmlessOptions[] = {
    "drop-path",
    "transformer-dropout-attention",
    "transformer-dropout-ffn",
    "transformer-dim-key",
    "transformer-dim-value",
    "tied-embeddings-all",
    "tied-embeddings-src",
    "output-scale",
};

constexpr const char* kProjection = "feed_forward_proj";
constexpr std::string_view kGated = "gated-";
// This name is an exception: it is not the exact function.
constexpr const char* kGatedGelu = "gated-gelu";

void read_network(FolderReader& in) {
  Fields& config = in.config;
  const std::string where = config.where_of(kProjection);
  const Json field = config.take_or(kProjection, "relu");
  std::string name = field.is_string() ? field.get<std::string>() : "";
  const bool is_gated = name.starts_with(kGated);
  if (name == kGatedGelu) name = "gated-gelu_new";
  const std::string_view activation = std::string_view(name).substr(is_gated ? kGated.size() : 0);
  const auto found = std::ranges::find(kHiddenActivations, activation, &ValueName::first);
  if (found == std::end(kHiddenActivations)) {
    config.refuse("field '{}' is not supported as {}; expected relu, gelu, silu or gated-gelu",
                  kProjection, short_text(field));
  }
  in.out.set("transformer-ffn-activation", found->second, where);
  in.out.set("transformer-ffn-gated", is_gated, where);
}

void write_network(FolderWriter& out) {
  const std::string activation = out.options.at("transformer-ffn-activation");
  const bool is_gated = out.options.at("transformer-ffn-gated");
  if (is_gated && activation == "gelu") {
    fail<OptionError>("--transformer-ffn-activation",
                      "is gelu; in T5 expected gelu-tanh of a gated network");
  }
  const std::string theirs = activation != "gelu-tanh" ? activation
                             : is_gated                ? "gelu"
                                                       : "gelu_new";
  out.config[kProjection] = std::string(is_gated ? kGated : "") + theirs;
}

void read_sizes(FolderReader& in) {
  Fields& config = in.config;
  constexpr const char *kDepth = "num_decoder_layers", *kHead = "d_kv";
  in.out.set("dec-depth", config.take_integer_or(kDepth, config.take_integer_or("num_layers", 6)),
             config.where_of(kDepth));
  const int64_t K = config.take_integer_or(kHead, 64);
  for (const char* option : {"transformer-dim-key", "transformer-dim-value"}) {
    in.out.set(option, K, config.where_of(kHead));
  }
  in.out.set("target-vocab-size", config.take_integer_or("vocab_size", 32128),
             config.where_of("vocab_size"));
  const Json dropout = config.take_or("dropout_rate", 0.1);
  for (const char* option : {"transformer-dropout-attention", "transformer-dropout-ffn"}) {
    in.out.set(option, dropout, config.where_of("dropout_rate"));
  }
}

void write_sizes(FolderWriter& out) {
  out.config["d_kv"] = head_size_of(out.options);
  out.config["num_decoder_layers"] = out.options.at("dec-depth");
}

double scale_of_output(int64_t features) { return 1 / std::sqrt(static_cast<double>(features)); }

constexpr const char *kTied = "tie_word_embeddings", *kScaled = "scale_decoder_outputs";

// Later versions of Transformers write whether states are scaled; in others it follows from the
// tie.
void read_output(FolderReader& in) {
  const bool is_tied_there = in.config.take_bool_or(kTied, true);
  const bool is_scaled = in.config.take_bool_or(kScaled, is_tied_there);
  const bool is_tied = is_scaled || !in.has_tensor("lm_head.weight");
  in.out.set("tied-embeddings-all", is_tied, in.config.where_of(kTied));
  in.out.set("tied-embeddings-src", !is_tied, in.config.where_of(kTied));
  if (!is_scaled) return;
  const int64_t D = in.config.take_integer_or("d_model", 512);
  in.out.set("output-scale", scale_of_output(std::max<int64_t>(D, 1)), in.config.where_of(kScaled));
}

void write_output(FolderWriter& out) {
  const bool is_tied = out.options.at("tied-embeddings-all");
  if (!is_tied && !out.options.value("tied-embeddings-src", false)) {
    fail<OptionError>("--tied-embeddings-src", "is false; in T5 expected one table for both sides");
  }
  const double scale = out.options.value("output-scale", 1.0);
  const double expected = scale_of_output(out.options.at("dim-emb").get<int64_t>());
  const bool is_scaled = is_tied && std::abs(scale - expected) <= 1e-3 * expected;
  if (!is_scaled && scale != 1) {
    fail<OptionError>("--output-scale", "is {}; in T5 expected 1{}", scale,
                      is_tied ? fmt::format(", or {:.6g}", expected) : "");
  }
  out.config[kTied] = is_tied;
  if (is_tied && !is_scaled) out.config[kScaled] = false;
}

// The most rows of a table beyond the tokens of the tokeniser.
constexpr int64_t kMostUnused = 1024;

void read_vocabulary_of(FolderReader& in) {
  Fields& config = in.config;
  const data::SubwordTokeniserPtr found = read_t5_tokeniser(in.folder);
  const int64_t size = config.take_integer_or("vocab_size", 32128);
  const int64_t end = config.take_integer_or("eos_token_id", 1);
  const int64_t begin = config.take_integer_or("decoder_start_token_id", 0);
  const int64_t padding = config.take_integer_or("pad_token_id", begin);
  if (size < found->size() || size > found->size() + kMostUnused) {
    config.refuse(
        "field 'vocab_size': expected {} to {}, the tokens of tokenizer.json and {} more "
        "at most, got {}",
        found->size(), found->size() + kMostUnused, kMostUnused, size);
  }
  if (end != found->end_id()) {
    config.refuse("field 'eos_token_id': expected {}, the end symbol of the tokeniser, got {}",
                  found->end_id(), end);
  }
  if (begin != padding) {
    config.refuse("field 'decoder_start_token_id': expected {}, as pad_token_id, got {}", padding,
                  begin);
  }
  in.out.add(kSourceVocabulary, size == found->size() ? found : with_unused_tokens(*found, size));
  in.out.add({kTargetVocabulary, "", kSourceVocabulary});
}

void write_vocabulary(FolderWriter& out) {
  if (out.contents.resolve_alias(kTargetVocabulary) != kSourceVocabulary) {
    fail<OptionError>("--to-hf", "two vocabularies; in T5 expected one");
  }
  out.config["pad_token_id"] = out.options.at("begin-id");
  const data::TokeniserPtr tokeniser = read_vocabulary(out.contents, kSourceVocabulary);
  const auto& subwords = dynamic_cast<const data::SubwordTokeniser&>(*tokeniser);
  write_tokeniser(out.folder, *without_unused_tokens(subwords), {});
}

void read_t5(FolderReader& in) {
  read_network(in);
  read_sizes(in);
  read_output(in);
  read_length_penalty(in);
  read_vocabulary_of(in);
}

void write_t5(FolderWriter& out) {
  write_network(out);
  write_sizes(out);
  write_output(out);
  write_length_penalty(out);
  write_vocabulary(out);
}

void add_names(NameMap& out, std::string_view ours, std::string_view theirs) {
  out.mappings.push_back({.theirs = std::string(theirs), .ours = {std::string(ours)}});
}

// Sublayer 0 is self-attention; the last one is the feed-forward network.
void add_layers(NameMap& out, const std::string& stack, bool has_cross_attention, bool is_gated) {
  const std::string ours = fmt::format("model.{}.layers.*.", stack);
  const auto theirs = [&](int sublayer, std::string_view part) {
    return fmt::format("{}.block.*.layer.{}.{}.weight", stack, sublayer, part);
  };
  const auto add_attention = [&](int sublayer, const char* name, const char* there) {
    constexpr const char* kParts[][2] = {
        {"q_proj", "q"}, {"k_proj", "k"}, {"v_proj", "v"}, {"out_proj", "o"}};
    for (const auto& [part, their_part] : kParts) {
      add_names(out, fmt::format("{}{}.{}.weight", ours, name, part),
                theirs(sublayer, fmt::format("{}.{}", there, their_part)));
    }
    add_names(out, fmt::format("{}{}_layer_norm.weight", ours, name),
              theirs(sublayer, "layer_norm"));
  };
  add_attention(0, "self_attn", "SelfAttention");
  if (has_cross_attention) add_attention(1, "encoder_attn", "EncDecAttention");
  const int last = has_cross_attention ? 2 : 1;
  add_names(out, ours + "final_layer_norm.weight", theirs(last, "layer_norm"));
  add_names(out, ours + "gate.weight", theirs(last, "DenseReluDense.wi_0"));
  add_names(out, ours + "fc1.weight",
            theirs(last, is_gated ? "DenseReluDense.wi_1" : "DenseReluDense.wi"));
  add_names(out, ours + "fc2.weight", theirs(last, "DenseReluDense.wo"));
  add_names(out, fmt::format("model.{}.layer_norm.weight", stack),
            fmt::format("{}.final_layer_norm.weight", stack));
  add_names(out, fmt::format("model.{}.embed_positions.weight", stack),
            fmt::format("{}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", stack));
}

NameMap t5_names(const Json& options) {
  const char* table = "shared.weight";
  NameMap out;
  add_names(out, "model.shared.weight", table);
  add_names(out, "lm_head.weight", "lm_head.weight");
  const bool is_gated = options.at("transformer-ffn-gated");
  add_layers(out, "encoder", false, is_gated);
  add_layers(out, "decoder", true, is_gated);
  out.extras = {{.theirs = "encoder.embed_tokens.weight", .same_as = table},
                {.theirs = "decoder.embed_tokens.weight", .same_as = table},
                // Of old files; no model reads it.
                {"decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"}};
  if (options.at("tied-embeddings-all")) {
    out.extras.push_back({.theirs = "lm_head.weight", .same_as = table});
  }
  return out;
}

}  // namespace

const Architecture kT5 = {.name = "T5",
                          .model_type = "t5",
                          .model_class = "T5ForConditionalGeneration",
                          .kind = TranslatorSession::kKind,
                          .tokenizer_json = TokenizerJson::kAlways,
                          .config = {.fixed_fields = kT5Fields,
                                     .fields = kT5Mappings,
                                     .fixed_options = kT5Options,
                                     .harmless_fields = kT5Harmless,
                                     .harmless_options = kT5HarmlessOptions},
                          .names = t5_names,
                          .read = read_t5,
                          .write = write_t5};

}  // namespace weft::model_file
