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
Json option_value(const FieldMapping& params, const Json& value, const Fields& in) {
  if (params.values.empty()) return value;
  for (const auto& [theirs, ours] : params.values) {
    if (value == theirs) return ours;
  }
  in.refuse("field '{}' is not supported as {}; expected {}", params.field, short_text(value),
            fmt::format("{}", fmt::join(names_there(params.values), ", ")));
}

Json field_value(const FieldMapping& params, const Json& value) {
  if (params.values.empty()) return value;
  for (const auto& [theirs, ours] : params.values) {
    if (value == ours) return theirs;
  }
  fail<OptionError>(fmt::format("--{}", params.option), "is {} in the model; expected {}, as {}",
                    short_text(value),
                    fmt::format("{}", fmt::join(names_there(params.values), ", ")), params.field);
}

}  // namespace

void read_fields(const ConfigMap& map, Fields& in, ImportedContents& out) {
  for (const auto& [name, value] : map.fixed_fields) in.require(name, Json::parse(value));
  for (const auto& [name, value] : map.fixed_options) out.set(name, Json::parse(value), in.where());
  std::map<std::string_view, std::pair<const FieldMapping*, Json>> taken;  // by option
  for (const FieldMapping& params : map.fields) {
    const bool is_missing = !in.has(params.field) && !params.missing.empty();
    const Json value = is_missing ? Json::parse(params.missing) : in.take(params.field);
    const auto [other, is_new] = taken.try_emplace(params.option, &params, value);
    if (!is_new && other->second.second != value) {
      in.refuse("'{}' {} and '{}' {} are not supported; expected equal values",
                other->second.first->field, short_text(other->second.second), params.field,
                short_text(value));
    }
    if (is_new) out.set(params.option, option_value(params, value, in), in.where_of(params.field));
  }
  in.ignore(map.harmless_fields);
}

Json fields_of(const ConfigMap& map, const Json& options) {
  Json out = Json::object();
  for (const auto& [name, value] : map.fixed_fields) out[name] = Json::parse(value);
  for (const FieldMapping& params : map.fields) {
    if (!options.contains(params.option)) continue;  // left out of files where it is the default
    const Json value = field_value(params, options.at(params.option));
    if (params.is_own && value == Json::parse(params.missing)) continue;
    out[params.field] = value;
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
