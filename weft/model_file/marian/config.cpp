#include "weft/model_file/marian/config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "weft/core/error.h"
#include "weft/options/json.h"

namespace weft::model_file {
namespace {

using Json = nlohmann::ordered_json;

// Fields with the same value in every Marian model of Transformers.
const std::pair<const char*, Json> kFixed[] = {
    {"model_type", "marian"},        {"add_bias_logits", false},
    {"add_final_layer_norm", false}, {"normalize_before", false},
    {"normalize_embedding", false},  {"is_encoder_decoder", true},
    {"scale_embedding", true},       {"static_position_embeddings", true},
    {"extra_pos_embeddings", 0},     {"encoder_layerdrop", 0.0},
    {"decoder_layerdrop", 0.0},      {"is_decoder", false},
};

// Fields that do not affect the model: its origin, initialisation, and how Transformers decodes.
constexpr std::array kIgnored = {
    "_name_or_path",
    "_num_labels",
    "architectures",
    "transformers_version",
    "torch_dtype",
    "dtype",
    "num_hidden_layers",
    "use_cache",
    "init_std",
    "classif_dropout",
    "classifier_dropout",
    "id2label",
    "label2id",
    "bos_token_id",
    "pad_token_id",
    "bad_words_ids",
    "forced_eos_token_id",
    "forced_bos_token_id",
    "max_length",
    "min_length",
    "num_beams",
    "early_stopping",
    "no_repeat_ngram_size",
    "do_sample",
    "temperature",
    "top_k",
    "top_p",
    "repetition_penalty",
    "gradient_checkpointing",
    "output_past",
    "task_specific_params",
    "force_bos_token_to_be_generated",
    "problem_type",
    "return_dict",
    "output_attentions",
    "output_hidden_states",
    "tokenizer_class",
    "use_bfloat16",
    "prefix",
};

// Weft's own fields, which other readers ignore: the lengths of the training text.
constexpr const char *kTargetLengthRatio = "target_length_ratio",
                     *kLongestTarget = "longest_target";

constexpr std::pair<const char*, const char*> kActivations[] = {
    {"relu", "relu"},          {"gelu", "gelu"},  {"gelu_pytorch_tanh", "gelu-tanh"},
    {"gelu_new", "gelu-tanh"}, {"swish", "silu"}, {"silu", "silu"}};

// Reads fields and records their names, so that unknown fields can be reported.
class Fields {
 public:
  Fields(std::string_view json, std::string_view where) : where_(where) {
    try {
      fields_ = Json::parse(json);
    } catch (const Json::exception& error) {
      fail<FormatError>(where, "not JSON: {}", error.what());
    }
    if (!fields_.is_object()) {
      fail<FormatError>(where, "expected an object, got {}", fields_.type_name());
    }
  }

  bool has(const char* name) const { return fields_.contains(name) && !fields_[name].is_null(); }

  template <class T>
  T take(const char* name) {
    if (!has(name)) fail<FormatError>(where_, "no field '{}'", name);
    taken_.insert(name);
    try {
      return fields_[name].get<T>();
    } catch (const Json::exception&) {
      fail<FormatError>(where_, "field '{}' has the wrong type; got {}", name,
                        fields_[name].dump());
    }
  }
  template <class T>
  T take_or(const char* name, T fallback) {
    return has(name) ? take<T>(name) : fallback;
  }
  int64_t take_count(const char* name) {
    const auto value = take<int64_t>(name);
    if (value < 1 || value > (int64_t{1} << 30)) {
      fail<FormatError>(where_, "field '{}': expected a positive number, got {}", name, value);
    }
    return value;
  }
  void require(const char* name, const Json& value) {
    if (has(name) && take<Json>(name) != value) {
      fail<FormatError>(where_, "field '{}' is not supported as {}; expected {}", name,
                        fields_[name].dump(), value.dump());
    }
  }
  void require_all_known() const {
    for (const auto& [name, value] : fields_.items()) {
      const bool known = taken_.contains(name) || value.is_null() ||
                         std::ranges::find(kIgnored, name) != kIgnored.end();
      if (!known) fail<FormatError>(where_, "field '{}' is not supported", name);
    }
  }
  template <class... Values>
  [[noreturn]] void refuse(MessageText<sizeof...(Values)> text, const Values&... values) const {
    fail<FormatError>(where_, text, values...);
  }

 private:
  std::string where_;
  Json fields_;
  std::set<std::string> taken_;
};

std::string take_activation(Fields& in) {
  const auto name = in.take<std::string>("activation_function");
  for (const auto& [theirs, ours] : kActivations) {
    if (name == theirs) return ours;
  }
  in.refuse(
      "field 'activation_function' is '{}'; expected relu, gelu, gelu_pytorch_tanh, swish or silu",
      name);
}

std::optional<double> take_length_penalty(Fields& in) {
  if (!in.has("length_penalty")) return {};
  const auto value = in.take<double>("length_penalty");
  if (!(value >= 0 && value <= 10)) {
    in.refuse("field 'length_penalty': expected 0 to 10, got {}", value);
  }
  return value;
}

// One number for encoder and decoder.
int64_t take_pair(Fields& in, const char* encoder, const char* decoder) {
  const int64_t value = in.take_count(encoder), decoder_value = in.take_count(decoder);
  if (value != decoder_value) {
    in.refuse("'{}' {} and '{}' {} are not supported; expected equal numbers", encoder, value,
              decoder, decoder_value);
  }
  return value;
}

}  // namespace

MarianConfig parse_marian_config(std::string_view json, std::string_view where) {
  Fields in(json, where);
  for (const auto& [name, value] : kFixed) in.require(name, value);
  MarianConfig out;
  models::Seq2SeqOptions& o = out.options;
  o.encoder.dim_emb = in.take_count("d_model");
  o.encoder.enc_depth = in.take_count("encoder_layers");
  o.decoder.dec_depth = in.take_count("decoder_layers");
  o.encoder.transformer.attention.heads =
      take_pair(in, "encoder_attention_heads", "decoder_attention_heads");
  o.encoder.transformer.feed_forward.inner = take_pair(in, "encoder_ffn_dim", "decoder_ffn_dim");
  o.encoder.transformer.feed_forward.activation.select(take_activation(in));
  o.encoder.position.max_positions = in.take_count("max_position_embeddings");
  o.encoder.transformer.dropout = in.take_or("dropout", 0.0);
  o.encoder.transformer.attention.dropout = in.take_or("attention_dropout", 0.0);
  o.encoder.transformer.feed_forward.dropout = in.take_or("activation_dropout", 0.0);
  o.tied_embeddings_all = in.take_or("share_encoder_decoder_embeddings", true);
  const bool tied = in.take_or("tie_word_embeddings", true);
  o.decoder.tied_embeddings = tied && !o.tied_embeddings_all;
  if (o.tied_embeddings_all && !tied) {
    in.refuse(
        "field 'tie_word_embeddings' is false while 'share_encoder_decoder_embeddings' is "
        "true; expected all embeddings tied, or those of the encoder untied");
  }
  out.sizes.source_vocab = in.take_count("vocab_size");
  out.sizes.target_vocab = in.take_or("decoder_vocab_size", out.sizes.source_vocab);
  out.sizes.begin_id = in.take<int64_t>("decoder_start_token_id");
  out.sizes.end_id = in.take<int64_t>("eos_token_id");
  if (o.tied_embeddings_all && out.sizes.source_vocab != out.sizes.target_vocab) {
    in.refuse(
        "'vocab_size' {} and 'decoder_vocab_size' {} differ while "
        "'share_encoder_decoder_embeddings' is true",
        out.sizes.source_vocab, out.sizes.target_vocab);
  }
  const int64_t heads = o.encoder.transformer.attention.heads;
  if (o.encoder.dim_emb % heads != 0) {
    in.refuse("'encoder_attention_heads' {} do not divide 'd_model' {}", heads, o.encoder.dim_emb);
  }
  for (const int64_t id : {out.sizes.begin_id, out.sizes.end_id}) {
    if (id < 0 || id >= out.sizes.target_vocab) {
      in.refuse("'decoder_start_token_id' and 'eos_token_id': expected 0 to {}, got {}",
                out.sizes.target_vocab - 1, id);
    }
  }
  out.length_penalty = take_length_penalty(in).value_or(out.length_penalty);
  models::TargetLengths& lengths = out.sizes.trained_lengths;
  lengths.ratio = in.take_or<double>(kTargetLengthRatio, 0);
  lengths.longest = in.take_or<int64_t>(kLongestTarget, 0);
  if (!(lengths.ratio >= 0 && lengths.longest >= 0)) {
    in.refuse("'{}' and '{}': expected 0 or more", kTargetLengthRatio, kLongestTarget);
  }
  in.require_all_known();
  // Check the ranges of Weft's options.
  out.options = options::options_from_json<models::Seq2SeqOptions>(
      options::options_to_json(out.options), where);
  return out;
}

std::optional<double> length_penalty_in(std::string_view json, std::string_view where) {
  Fields in(json, where);
  return take_length_penalty(in);
}

std::string marian_config_text(const MarianConfig& config) {
  const models::Seq2SeqOptions& o = config.options;
  const models::Seq2SeqOptions plain;
  const nn::TransformerOptions& t = o.encoder.transformer;
  const nn::AttentionOptions& attention = t.attention;
  const std::tuple<const char*, bool, const char*> needs[] = {
      {"--type", o.is_transformer(), "the Transformer"},
      {"--transformer-norm", t.norm.place.is<nn::PostNorm>(), "post-layer norms"},
      {"--norm-kind", t.norm.kind.is<nn::LayerNormOptions>(), "layer norms"},
      {"--residual-scale", t.residual_scale == plain.encoder.transformer.residual_scale,
       "unscaled residuals"},
      {"--tied-layers", t.tied_layers.empty(), "untied layers"},
      {"--position", o.encoder.position.kind.is<nn::SinusoidalPositionOptions>(),
       "sinusoidal positions"},
      {"--transformer-ffn-gated", !t.feed_forward.gated, "ungated feed-forward networks"},
      {"--transformer-ffn-bias", t.feed_forward.bias, "feed-forward networks with biases"},
      {"--attention-bias", attention.bias, "biases in attention"},
      {"--transformer-dim-key", attention.key_size == 0, "heads of dim-emb / heads"},
      {"--transformer-dim-value", attention.value_size == 0, "heads of dim-emb / heads"},
      {"--attention-scale", attention.scale == 0, "scores scaled by 1 / sqrt(key size)"},
      {"--attention", attention.kind.is_full(), "full attention"},
      {"--attention-qk-norm", attention.qk_norm.is<nn::NoQkNormOptions>(),
       "unnormalised queries and keys"},
      {"--attention-activation", attention.activation.is<nn::SoftmaxActivation>(), "softmax"},
      {"--transformer-key-heads", attention.key_heads == 0, "separate keys and values per head"},
      {"--prune-heads", !t.pruning.is_on(), "as many heads in every layer"},
      {"--norm-epsilon", t.norm.epsilon == plain.encoder.transformer.norm.epsilon,
       "an epsilon of 1e-5"},
      {"--attention-prior", o.encoder_decoder.prior.is<nn::NoPriorOptions>(),
       "attention without a prior"},
      {"--generation", o.is_left_to_right(), "left-to-right generation"},
  };
  for (const auto& [option, is_met, need] : needs) {
    if (!is_met) fail<OptionError>(option, "Marian models in Transformers support only {}", need);
  }
  Json out = {{"architectures", {"MarianMTModel"}}};
  for (const auto& [name, value] : kFixed) out[name] = value;
  const char* activation = nullptr;
  for (const auto& [theirs, ours] : kActivations) {
    if (activation == nullptr && t.feed_forward.activation.name() == ours) activation = theirs;
  }
  const Json more = {
      {"d_model", o.encoder.dim_emb},
      {"encoder_layers", o.encoder.enc_depth},
      {"decoder_layers", o.decoder.dec_depth},
      {"encoder_attention_heads", attention.heads},
      {"decoder_attention_heads", attention.heads},
      {"encoder_ffn_dim", t.feed_forward.inner},
      {"decoder_ffn_dim", t.feed_forward.inner},
      {"activation_function", activation},
      {"max_position_embeddings", o.encoder.position.max_positions},
      {"dropout", t.dropout},
      {"attention_dropout", attention.dropout},
      {"activation_dropout", t.feed_forward.dropout},
      {"share_encoder_decoder_embeddings", o.tied_embeddings_all},
      {"tie_word_embeddings", o.decoder.tied_embeddings || o.tied_embeddings_all},
      {"vocab_size", config.sizes.source_vocab},
      {"decoder_vocab_size", config.sizes.target_vocab},
      {"decoder_start_token_id", config.sizes.begin_id},
      {"pad_token_id", config.sizes.begin_id},
      {"eos_token_id", config.sizes.end_id},
      {"bos_token_id", nullptr},
      {"forced_eos_token_id", nullptr},
      // Neither system generates the begin symbol.
      {"bad_words_ids", config.sizes.begin_id == config.sizes.end_id
                            ? Json()
                            : Json::array({Json::array({config.sizes.begin_id})})},
  };
  out.update(more);
  if (const models::TargetLengths& lengths = config.sizes.trained_lengths; lengths.longest > 0) {
    out[kTargetLengthRatio] = lengths.ratio;
    out[kLongestTarget] = lengths.longest;
  }
  if (config.length_penalty != MarianConfig().length_penalty) {
    out["length_penalty"] = config.length_penalty;
  }
  return out.dump(1) + "\n";
}

}  // namespace weft::model_file
