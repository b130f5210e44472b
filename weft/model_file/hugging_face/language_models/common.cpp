#include "weft/model_file/hugging_face/language_models/common.h"

#include <algorithm>

#include "weft/model_file/hugging_face/language_models/generation_config.h"
#include "weft/model_file/hugging_face/language_models/tokeniser_files.h"
#include "weft/model_file/text_assets.h"

namespace weft::model_file {
namespace {

constexpr const char* kWindow = "sliding_window";
constexpr const char *kFullAttention = "full_attention", *kWindowAttention = "sliding_attention";

}  // namespace

void read_heads(FolderReader& in, int64_t head_size) {
  Fields& config = in.config;
  const int64_t D = config.take_integer("hidden_size");
  const int64_t H = config.take_integer("num_attention_heads");
  const int64_t key_heads = config.take_integer_or("num_key_value_heads", H);
  int64_t K = config.take_integer_or("head_dim", head_size);
  if (H > 0 && D % H == 0 && K == D / H) K = 0;  // the default
  in.out.set("transformer-key-heads", key_heads == H ? 0 : key_heads,
             config.where_of("num_key_value_heads"));
  in.out.set("transformer-dim-key", K, config.where_of("head_dim"));
  in.out.set("transformer-dim-value", K, config.where_of("head_dim"));
}

int64_t head_size_of(const Json& options) {
  const auto number = [&](const char* option) { return options.at(option).get<int64_t>(); };
  const auto size = [&](const char* option) {
    return number(option) == 0 ? number("dim-emb") / number("transformer-heads") : number(option);
  };
  const int64_t keys = size("transformer-dim-key"), values = size("transformer-dim-value");
  if (values != keys) {
    fail<OptionError>("--transformer-dim-value", "is {}; in Transformers expected that of keys, {}",
                      values, keys);
  }
  return keys;
}

void write_heads(FolderWriter& out) {
  const Json& key_heads = out.options.at("transformer-key-heads");
  out.config["num_key_value_heads"] =
      key_heads == 0 ? out.options.at("transformer-heads") : key_heads;
  out.config["head_dim"] = head_size_of(out.options);
}

void read_bias(FolderReader& in, const char* field, const char* option, bool missing) {
  in.out.set(option, in.config.take_bool_or(field, missing), in.config.where_of(field));
}

std::vector<bool> read_layer_types(Fields& config, const std::function<bool(int64_t)>& is_full) {
  constexpr const char* kField = "layer_types";
  const auto layers = std::clamp<int64_t>(config.take_integer("num_hidden_layers"), 0, kMaxLayers);
  std::vector<bool> out;
  for (int64_t i = 0; i < layers; ++i) out.push_back(is_full(i));
  if (!config.has(kField)) return out;
  const Json& types = config.take(kField);
  for (size_t i = 0; i < out.size(); ++i) {
    const Json type = types.is_array() && types.size() == out.size() ? types[i] : Json();
    if (type != kFullAttention && type != kWindowAttention) {
      config.refuse("field '{}' is not supported as {}; expected {} or {} for each of {} layers",
                    kField, short_text(types), kFullAttention, kWindowAttention, out.size());
    }
    out[i] = type == kFullAttention;
  }
  return out;
}

Json layer_types_of(const WindowLayers& layers) {
  Json out = Json::array();
  for (const bool is_full : layers.is_full) {
    out.push_back(is_full ? kFullAttention : kWindowAttention);
  }
  return out;
}

int64_t take_window(Fields& config) {
  const int64_t window = config.take_integer(kWindow);
  if (window < 1) config.refuse("field '{}': expected at least 1, got {}", kWindow, window);
  return window;
}

void read_window(FolderReader& in) {
  if (!in.config.has(kWindow)) return;
  in.out.set("attention", "local", in.config.where());
  in.out.set("attention-window", take_window(in.config) - 1, in.config.where_of(kWindow));
}

void write_window(FolderWriter& out) {
  const WindowLayers layers = window_layers_of(out.options);
  const auto full = std::ranges::count(layers.is_full, true);
  if (layers.any() && full > 0) {
    fail<OptionError>("--attention-full-every",
                      "{} layers have full attention; expected none, or all", full);
  }
  out.config[kWindow] = layers.any() ? Json(layers.window) : Json();
}

void read_tokens(FolderReader& in) {
  read_tokeniser(in.folder, in.out);
  read_begin_and_ends(in);
}

void write_tokens(FolderWriter& out) {
  const Json& ends = out.options.at("end-ids");
  out.config["bos_token_id"] = out.options.at("begin-id");
  out.config["eos_token_id"] = ends.size() == 1 ? ends.front() : ends;
  write_tokeniser(out.folder, *read_vocabulary(out.contents, kSourceVocabulary),
                  read_chat_templates(out.contents), out.options.at("adds-begin"));
}

}  // namespace weft::model_file
