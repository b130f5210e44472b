#include "weft/model_file/foreign/config_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace weft::model_file {
namespace {

std::vector<std::string_view> names_there(std::span<const ValueName> values) {
  std::vector<std::string_view> out;
  for (const auto& [theirs, ours] : values) out.push_back(theirs);
  return out;
}

// The value of the option that a field says.
Json option_value(const FieldMapping& mapping, const Json& value, const Fields& in) {
  if (mapping.values.empty()) return value;
  for (const auto& [theirs, ours] : mapping.values) {
    if (value == theirs) return ours;
  }
  in.refuse("field '{}' is not supported as {}; expected {}", mapping.field, short_text(value),
            fmt::format("{}", fmt::join(names_there(mapping.values), ", ")));
}

Json field_value(const FieldMapping& mapping, const Json& value) {
  if (mapping.values.empty()) return value;
  for (const auto& [theirs, ours] : mapping.values) {
    if (value == ours) return theirs;
  }
  fail<OptionError>(fmt::format("--{}", mapping.option), "is {} in the model; expected {}, as {}",
                    short_text(value),
                    fmt::format("{}", fmt::join(names_there(mapping.values), ", ")), mapping.field);
}

}  // namespace

void read_fields(const ConfigMap& map, Fields& in, ImportedContents& out) {
  for (const auto& [name, value] : map.fixed_fields) in.require(name, Json::parse(value));
  for (const auto& [name, value] : map.fixed_options) out.set(name, Json::parse(value), in.where());
  std::map<std::string_view, std::pair<const FieldMapping*, Json>> taken;  // by option
  for (const FieldMapping& mapping : map.fields) {
    const bool is_missing = !in.has(mapping.field) && !mapping.missing.empty();
    const Json value = is_missing ? Json::parse(mapping.missing) : in.take(mapping.field);
    const auto [other, is_new] = taken.try_emplace(mapping.option, &mapping, value);
    if (!is_new && other->second.second != value) {
      in.refuse("'{}' {} and '{}' {} are not supported; expected equal values",
                other->second.first->field, short_text(other->second.second), mapping.field,
                short_text(value));
    }
    if (is_new)
      out.set(mapping.option, option_value(mapping, value, in), in.where_of(mapping.field));
  }
  in.ignore(map.harmless_fields);
}

Json fields_of(const ConfigMap& map, const Json& options) {
  Json out = Json::object();
  for (const auto& [name, value] : map.fixed_fields) out[name] = Json::parse(value);
  for (const FieldMapping& mapping : map.fields) {
    if (!options.contains(mapping.option)) continue;  // left out of files where it is the default
    const Json value = field_value(mapping, options.at(mapping.option));
    if (mapping.is_own && value == Json::parse(mapping.missing)) continue;
    out[mapping.field] = value;
  }
  return out;
}

std::vector<UnsupportedOption> unsupported_options(const ConfigMap& map, const Json& options,
                                                   const Json& imported) {
  std::vector<UnsupportedOption> out;
  for (const Json* all : {&options, &imported}) {
    for (const auto& [name, unused] : all->items()) {
      if (std::ranges::find(map.harmless_options, name) != map.harmless_options.end()) continue;
      if (std::ranges::find(out, name, &UnsupportedOption::name) != out.end()) continue;
      const Json value = options.value(name, Json()), expected = imported.value(name, Json());
      if (value != expected) out.push_back({name, value, expected});
    }
  }
  return out;
}

std::optional<UnsupportedOption> unsupported_option(const ConfigMap& map, const Json& options,
                                                    const Json& imported) {
  const std::vector<UnsupportedOption> all = unsupported_options(map, options, imported);
  return all.empty() ? std::nullopt : std::optional(all.front());
}

}  // namespace weft::model_file
