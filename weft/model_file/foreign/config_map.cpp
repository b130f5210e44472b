#include "weft/model_file/foreign/config_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

namespace weft::model_file {
namespace {

std::vector<std::string_view> names_there(std::span<const ValueName> values) {
  std::vector<std::string_view> out;
  for (const auto& [theirs, ours] : values) out.push_back(theirs);
  return out;
}

// The value of the option that a field says.
Json option_value(const FieldRule& rule, const Json& value, const Fields& in) {
  if (rule.values.empty()) return value;
  for (const auto& [theirs, ours] : rule.values) {
    if (value == theirs) return ours;
  }
  in.refuse("field '{}' is not supported as {}; expected {}", rule.field, short_text(value),
            fmt::format("{}", fmt::join(names_there(rule.values), ", ")));
}

Json field_value(const FieldRule& rule, const Json& value) {
  if (rule.values.empty()) return value;
  for (const auto& [theirs, ours] : rule.values) {
    if (value == ours) return theirs;
  }
  fail<OptionError>(fmt::format("--{}", rule.option), "is {} in the model; expected {}, as {}",
                    short_text(value), fmt::format("{}", fmt::join(names_there(rule.values), ", ")),
                    rule.field);
}

}  // namespace

void read_fields(const ConfigMap& map, Fields& in, ImportedContents& out) {
  for (const auto& [name, value] : map.fixed_fields) in.require(name, Json::parse(value));
  for (const auto& [name, value] : map.fixed_options) out.set(name, Json::parse(value), in.where());
  std::map<std::string_view, std::pair<const FieldRule*, Json>> taken;  // by option
  for (const FieldRule& rule : map.fields) {
    const bool is_missing = !in.has(rule.field) && !rule.missing.empty();
    const Json value = is_missing ? Json::parse(rule.missing) : in.take(rule.field);
    const auto [other, is_new] = taken.try_emplace(rule.option, &rule, value);
    if (!is_new && other->second.second != value) {
      in.refuse("'{}' {} and '{}' {} are not supported; expected equal values",
                other->second.first->field, short_text(other->second.second), rule.field,
                short_text(value));
    }
    if (is_new) out.set(rule.option, option_value(rule, value, in), in.where_of(rule.field));
  }
  in.ignore(map.harmless_fields);
}

Json fields_of(const ConfigMap& map, const Json& options) {
  Json out = Json::object();
  for (const auto& [name, value] : map.fixed_fields) out[name] = Json::parse(value);
  for (const FieldRule& rule : map.fields) {
    if (!options.contains(rule.option)) continue;  // left out of files where it is the default
    const Json value = field_value(rule, options.at(rule.option));
    if (rule.is_own && value == Json::parse(rule.missing)) continue;
    out[rule.field] = value;
  }
  return out;
}

std::optional<UnsupportedOption> unsupported_option(const ConfigMap& map, const Json& options,
                                                    const Json& imported) {
  for (const Json* all : {&options, &imported}) {
    for (const auto& [name, unused] : all->items()) {
      if (std::ranges::find(map.harmless_options, name) != map.harmless_options.end()) continue;
      const Json value = options.value(name, Json()), expected = imported.value(name, Json());
      if (value != expected) return UnsupportedOption{name, value, expected};
    }
  }
  return {};
}

}  // namespace weft::model_file
