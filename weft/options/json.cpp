#include "weft/options/json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "weft/core/error.h"
#include "weft/core/text/nearest.h"
#include "weft/options/option_value.h"

namespace weft::options {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(kAuto);
}

Json json_of(const Option& option) {
  return std::visit(
      [](const auto* slot) -> Json {
        if constexpr (std::is_same_v<decltype(slot), const Period*>) {
          return slot->text();
        } else if constexpr (std::is_same_v<decltype(slot), const Selection*>) {
          return slot->name();
        } else if constexpr (requires { slot->has_value(); }) {
          return json_of(*slot);
        } else {
          return *slot;
        }
      },
      option.slot());
}

// Throws FormatError on a duplicate key, which the parser accepts.
Json parse_object(std::string_view text, std::string_view where) {
  std::vector<std::vector<std::string>> keys;
  const auto check = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto key = value.get<std::string>();
      for (const std::string& earlier : keys.back())
        if (earlier == key) fail<FormatError>(where, "option {} is given twice", quote(key));
      keys.back().push_back(key);
    }
    return true;
  };
  try {
    Json out = Json::parse(text, check);
    if (!out.is_object())
      fail<FormatError>(where, "options are {}; expected an object", out.type_name());
    return out;
  } catch (const Json::exception& error) {
    fail<FormatError>(where, "invalid JSON in the options: {}", error.what());
  }
}

std::string scalar_text(const Option& option, const Json& value, std::string_view where) {
  const bool wants_text = option.is_text() || option.is<Period>();
  if ((wants_text || option.may_be_auto()) && value.is_string()) return value.get<std::string>();
  if (option.is_bool() && value.is_boolean()) return value.dump();
  if (!wants_text && !option.is_bool() && value.is_number()) return value.dump();
  fail<FormatError>(where, "expected {}, got {}", expectation(option), value.type_name());
}

void read_member(OptionTable& table, const std::string& key, const Json& value,
                 std::string_view where) {
  const Option* option = table.find(key);
  if (option == nullptr)
    fail<FormatError>(where, "unknown option {}{}", quote(key), nearest_hint(key, table.names()));
  Setting setting{option->name, {}, fmt::format("{}: {}", where, key), value.is_array()};
  if (value.is_array()) {
    for (const Json& item : value)
      setting.values.push_back(scalar_text(*option, item, setting.where));
  } else {
    setting.values.push_back(scalar_text(*option, value, setting.where));
  }
  if (option->is_list() != setting.is_list)
    fail<FormatError>(setting.where, "expected {}, got {}",
                      option->is_list() ? "a list" : "one value", value.type_name());
  try {
    table.assign(setting);
  } catch (const OptionError& error) {
    throw FormatError(error.what());
  }
}

// Null if `text` is not an object with this key.
Json member_of(std::string_view text, const char* key) {
  const Json all = Json::parse(text, nullptr, false);
  if (!all.is_object() || !all.contains(key)) return {};
  return all.at(key);
}

}  // namespace

std::string to_json(const OptionTable& table) {
  Json out = Json::object();
  for (const Option& option : table.options()) {
    const std::string_view omitted = option.meta.omitted_if;
    if (omitted.data() != nullptr && text_of(option.slot()) == omitted) continue;
    out[option.name] = json_of(option);
  }
  try {
    return out.dump();
  } catch (const Json::exception& error) {
    fail<OptionError>("options", "JSON cannot hold a value: {}; expected UTF-8", error.what());
  }
}

void read_json(OptionTable& table, std::string_view text, std::string_view where) {
  const Json object = parse_object(text, where);
  for (const auto& [key, value] : object.items()) read_member(table, key, value, where);
}

void read_known_json(OptionTable& table, std::string_view text, std::string_view where) {
  const Json object = parse_object(text, where);
  for (const auto& [key, value] : object.items()) {
    if (table.find(key) == nullptr) continue;
    try {
      read_member(table, key, value, where);
    } catch (const FormatError&) {
      continue;
    }
  }
}

std::set<std::string> names_in_json(std::string_view text) {
  std::set<std::string> out;
  const Json object = parse_object(text, "options");
  for (const auto& [key, value] : object.items()) out.insert(key);
  return out;
}

std::optional<int64_t> integer_in_json(std::string_view text, const char* key) {
  const Json found = member_of(text, key);
  if (!found.is_number_integer()) return {};
  return found.get<int64_t>();
}

std::optional<std::string> text_in_json(std::string_view text, const char* key) {
  const Json found = member_of(text, key);
  if (!found.is_string()) return {};
  return found.get<std::string>();
}

}  // namespace weft::options
