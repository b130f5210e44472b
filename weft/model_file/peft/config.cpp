#include "weft/model_file/peft/config.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "weft/model_file/foreign/fields.h"

namespace weft::model_file {
namespace {

// They change what an adapter computes, or which parameters it has.
constexpr std::string_view kUnsupportedFields[] = {
    "modules_to_save",   "layer_replication", "trainable_token_indices",
    "target_parameters", "use_dora",          "use_qalora",
    "use_bdlora",        "lora_bias",         "alora_invocation_tokens",
    "arrow_config",      "kasa_config",       "monteclora_config",
    "megatron_config",
};

// Initialisation, how it was trained, and what the tensors tell. Matrices of updates have the same
// shapes with fan_in_fan_out.
constexpr std::string_view kHarmlessPeftFields[] = {
    "auto_mapping",   "peft_version",        "revision",          "inference_mode",
    "fan_in_fan_out", "exclude_modules",     "layers_pattern",    "layers_to_transform",
    "megatron_core",  "loftq_config",        "eva_config",        "corda_config",
    "lora_ga_config", "velora_config",       "qalora_group_size", "runtime_config",
    "merge_weights",  "ensure_weight_tying",
};

// Of init_lora_weights, those that leave the base model as it is.
constexpr std::string_view kInitialisations[] = {"gaussian", "eva", "orthogonal", "mica"};

constexpr int64_t kMaxRank = 65536;
constexpr double kMinAlpha = 1e-6, kMaxAlpha = 1e6;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_plain_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.'; });
}

bool is_set(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return !value.empty();  // null, {} and [] are
}

void refuse_unsupported(Fields& config) {
  for (const std::string_view name : kUnsupportedFields) {
    const Json value = config.take_or(name, nullptr);
    if (is_set(value)) {
      config.refuse("field '{}' is not supported as {}; expected none", name, short_text(value));
    }
  }
  config.require("bias", "none");
  config.require("task_type", "CAUSAL_LM");
}

int64_t rank_in(const Fields& config, std::string_view field, const Json& value) {
  if (value.is_number_integer() && value >= 1 && value <= kMaxRank) return value.get<int64_t>();
  config.refuse("field '{}': expected a whole number from 1 to {}, got {}", field, kMaxRank,
                short_text(value));
}

double number_in(const Fields& config, std::string_view field, const Json& value, double min,
                 double max) {
  if (value.is_number() && value >= min && value <= max) return value.get<double>();
  config.refuse("field '{}': expected a number from {} to {}, got {}", field, min, max,
                short_text(value));
}

template <class T, class Read>
ModuleValues<T> read_patterns(Fields& config, std::string_view field, const Read& read) {
  const Json values = config.take_or(field, Json::object());
  if (!values.is_object()) {
    config.refuse("field '{}': expected an object, got {}", field, short_text(values));
  }
  ModuleValues<T> out;
  for (const auto& [pattern, value] : values.items()) {
    out.emplace_back(ModulePattern(pattern, config.where_of(field)), read(value));
  }
  return out;
}

void read_sizes(Fields& config, PeftConfig& out) {
  out.rank = rank_in(config, "r", config.take_or("r", out.rank));
  out.is_rank_stabilised = config.take_bool_or("use_rslora", false);
  const double root = out.is_rank_stabilised ? std::sqrt(static_cast<double>(out.rank)) : 1;
  out.alpha = number_in(config, "lora_alpha", config.take_or("lora_alpha", out.alpha), kMinAlpha,
                        kMaxAlpha / root);
  out.dropout =
      number_in(config, "lora_dropout", config.take_or("lora_dropout", out.dropout), 0, 0.99);
  out.ranks = read_patterns<int64_t>(config, "rank_pattern", [&](const Json& value) {
    return rank_in(config, "rank_pattern", value);
  });
  out.alphas = read_patterns<double>(config, "alpha_pattern", [&](const Json& value) {
    return number_in(config, "alpha_pattern", value, 0, kMaxAlpha);
  });
}

// PEFT compares the whole of "all-linear" without regard to case.
bool is_all_linear(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text == "all-linear";
}

void read_targets(Fields& config, PeftConfig& out) {
  constexpr const char* kField = "target_modules";
  const Json targets = config.take_or(kField, nullptr);
  if (targets.is_null()) return;
  if (targets.is_string()) {
    const auto text = targets.get<std::string>();
    if (is_all_linear(text)) return;
    out.target_expression.emplace("\\A(?:" + text + ")\\z", config.where_of(kField));
    return;
  }
  const bool are_texts = targets.is_array() && std::ranges::all_of(targets, &Json::is_string);
  if (!are_texts || targets.empty()) {
    config.refuse("field '{}': expected a text or a list of texts, got {}", kField,
                  short_text(targets));
  }
  out.targets = targets.get<std::vector<std::string>>();
}

void read_initialisation(Fields& config) {
  constexpr const char* kField = "init_lora_weights";
  const Json value = config.take_or(kField, true);
  if (value.is_boolean() ||
      std::ranges::any_of(kInitialisations, [&](std::string_view one) { return value == one; })) {
    return;
  }
  config.refuse(
      "field '{}' is not supported as {}, which changes the base model; expected true, false, "
      "gaussian, eva, orthogonal or mica",
      kField, short_text(value));
}

template <class T>
T value_of(const ModuleValues<T>& values, std::string_view module, T other) {
  for (const auto& [pattern, value] : values) {
    if (pattern.matches(module)) return value;
  }
  return other;
}

}  // namespace

bool is_end_of(std::string_view end, std::string_view module) {
  if (!module.ends_with(end)) return false;
  return module.size() == end.size() || module[module.size() - end.size() - 1] == '.';
}

ModulePattern::ModulePattern(std::string text, const std::string& where) : text_(std::move(text)) {
  if (!is_plain_name(text_)) regex_.emplace("\\A(?:.*\\.)?(?:" + text_ + ")\\z", where);
}

bool ModulePattern::matches(std::string_view module) const {
  if (regex_) return regex_->search(module, 0).has_value();
  if (module.size() < text_.size()) return false;
  const std::string_view end = module.substr(module.size() - text_.size());
  if (end.size() < module.size() && module[module.size() - end.size() - 1] != '.') return false;
  return std::ranges::equal(text_, end, [](char x, char y) { return x == '.' || x == y; });
}

int64_t PeftConfig::rank_of(std::string_view module) const { return value_of(ranks, module, rank); }

double PeftConfig::scale_of(std::string_view module) const {
  const auto r = static_cast<double>(rank_of(module));
  return value_of(alphas, module, alpha) / (is_rank_stabilised ? std::sqrt(r) : r);
}

bool PeftConfig::is_target(std::string_view module) const {
  if (target_expression) return target_expression->search(module, 0).has_value();
  return targets.empty() || std::ranges::any_of(targets, [&](const std::string& target) {
           return is_end_of(target, module);
         });
}

PeftConfig parse_peft_config(std::string_view json, const std::string& where) {
  Fields config(json, where);
  PeftConfig out;
  const Json type = config.take("peft_type");
  if (type != "LORA") {
    config.refuse("field 'peft_type' is not supported as {}; expected LORA", short_text(type));
  }
  refuse_unsupported(config);
  read_sizes(config, out);
  read_targets(config, out);
  read_initialisation(config);
  const Json base = config.take_or("base_model_name_or_path", "");
  if (base.is_string()) out.base_model = base.get<std::string>();
  config.ignore(kHarmlessPeftFields);
  config.check_all_consumed();
  return out;
}

void check_targets(const PeftConfig& config, const std::vector<std::string>& modules,
                   const std::string& where) {
  constexpr const char* kField = "field 'target_modules'";
  for (const std::string& target : config.targets) {
    const auto fits = [&](const std::string& module) { return is_end_of(target, module); };
    if (std::ranges::any_of(modules, fits)) continue;
    fail<FormatError>(where, "{}: {} is no module of the model", kField, quote(target));
  }
  const auto fits = [&](const std::string& module) { return config.is_target(module); };
  if (std::ranges::any_of(modules, fits)) return;
  fail<FormatError>(where, "{}: the expression fits no module of the model", kField);
}

}  // namespace weft::model_file
