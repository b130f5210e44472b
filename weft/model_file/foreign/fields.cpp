#include "weft/model_file/foreign/fields.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <vector>

namespace weft::model_file {
namespace {

constexpr int kMaxFieldDepth = 16;  // printing a value takes stack for each level

Json parse_fields(std::string_view json, std::string_view where) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxFieldDepth) fail<FormatError>(where, "is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key &&
        !keys.back().insert(parsed.get<std::string>()).second) {
      fail<FormatError>(where, "field {} is given twice", quote(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    Json out = Json::parse(json, check);
    if (!out.is_object()) fail<FormatError>(where, "expected an object, got {}", out.type_name());
    return out;
  } catch (const Json::exception& error) {
    fail<FormatError>(where, "not JSON: {}", error.what());
  }
}

bool is_same(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return a == b;
  const double x = a.get<double>(), y = b.get<double>();
  return std::abs(x - y) <= 1e-9 * std::abs(y);
}

}  // namespace

std::string short_text(const Json& value) {
  constexpr size_t kMaxBytes = 60;
  const std::string text = value.dump(-1, ' ', true);  // ASCII
  return text.size() <= kMaxBytes ? text : text.substr(0, kMaxBytes) + "...";
}

Fields::Fields(std::string_view json, std::string_view where)
    : where_(where), fields_(parse_fields(json, where)) {}

bool Fields::has(std::string_view name) const {
  const auto found = fields_.find(name);
  return found != fields_.end() && !found->is_null();
}

const Json& Fields::take(std::string_view name) {
  if (!has(name)) refuse("no field '{}'", name);
  consumed_.emplace(name);
  return *fields_.find(name);
}

int64_t Fields::take_integer(std::string_view name) {
  const Json& value = take(name);
  const bool is_too_large =
      value.is_number_unsigned() && value.get<uint64_t>() > std::numeric_limits<int64_t>::max();
  if (!value.is_number_integer() || is_too_large) {
    refuse("field '{}': expected a whole number, got {}", name, short_text(value));
  }
  return value.get<int64_t>();
}

bool Fields::take_bool(std::string_view name) {
  const Json& value = take(name);
  if (!value.is_boolean()) {
    refuse("field '{}': expected true or false, got {}", name, short_text(value));
  }
  return value.get<bool>();
}

Json Fields::take_or(std::string_view name, const Json& missing) {
  return has(name) ? take(name) : missing;
}

int64_t Fields::take_integer_or(std::string_view name, int64_t missing) {
  return has(name) ? take_integer(name) : missing;
}

bool Fields::take_bool_or(std::string_view name, bool missing) {
  return has(name) ? take_bool(name) : missing;
}

void Fields::require(std::string_view name, const Json& value) {
  if (!has(name) || is_same(take(name), value)) return;
  refuse("field '{}' is not supported as {}; expected {}", name, short_text(take(name)),
         short_text(value));
}

void Fields::ignore(std::span<const std::string_view> names) {
  consumed_.insert(names.begin(), names.end());
}

void Fields::check_all_consumed() const {
  for (const auto& [name, value] : fields_.items()) {
    if (value.is_null() || consumed_.contains(name)) continue;
    refuse("field {} is not supported", quote(name));
  }
}

std::string Fields::where_of(std::string_view name) const {
  return fmt::format("{}: field '{}'", where_, name);
}

}  // namespace weft::model_file
