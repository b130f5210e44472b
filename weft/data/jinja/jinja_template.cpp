#include "weft/data/jinja/jinja_template.h"

#include <nlohmann/json.hpp>

#include "weft/data/jinja/evaluator.h"
#include "weft/data/jinja/parser.h"

namespace weft::data::jinja {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostLevels = 100;  // of JSON

// Roles are words of the template: "<|" + role + "|>" may be a special token.
bool is_known_role(std::string_view key, std::string_view value) {
  if (key != "role") return false;
  for (const std::string_view role : {"system", "user", "assistant", "tool", "developer",
                                      "function", "model", "ipython", "observation"}) {
    if (value == role) return true;
  }
  return false;
}

Value value_of(const Json& json, Source source, Runtime& runtime, int level = 0) {
  if (level > kMostLevels) refuse("JSON of more than {} levels", kMostLevels);
  switch (json.type()) {
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<int64_t>();
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() > INT64_MAX) {
        refuse("the number {} is too large; expected at most {}", json.get<uint64_t>(), INT64_MAX);
      }
      return json.get<int64_t>();
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string:
      return runtime.text(MarkedText(json.get_ref<const std::string&>(), source));
    case Json::value_t::array: {
      std::vector<Value> items;
      for (const Json& item : json) items.push_back(value_of(item, source, runtime, level + 1));
      return runtime.sequence(std::move(items));
    }
    case Json::value_t::object: {
      std::vector<std::pair<Value, Value>> entries;
      for (const auto& [key, value] : json.items()) {
        const bool is_role =
            value.is_string() && is_known_role(key, value.get_ref<const std::string&>());
        entries.emplace_back(
            runtime.text(MarkedText(key, source)),
            value_of(value, is_role ? Source::kTemplate : source, runtime, level + 1));
      }
      return runtime.dict(std::move(entries));
    }
    default: return Value::none();
  }
}

}  // namespace

Template::Template(std::string_view source, std::string where)
    : where_(std::move(where)), body_(parse(source, where_)) {}

MarkedText Template::render(const Variables& variables, const std::tm& now,
                            const Limits& limits) const {
  Runtime runtime(now, limits);
  std::vector<std::pair<std::string, Value>> all;
  const auto add = [&](const Json& object, Source source) {
    for (const auto& [name, value] : object.items()) {
      try {
        all.emplace_back(name, value_of(value, source, runtime));
      } catch (const RenderError& error) {
        fail<FormatError>(where_, "variable {}: {}", quote(name), error.what());
      }
    }
  };
  add(variables.model, Source::kTemplate);
  add(variables.user, Source::kUser);
  Evaluator evaluator(runtime, all);
  try {
    return evaluator.render(body_);
  } catch (const RenderError& error) {
    fail_at(where_, evaluator.position(), "{}", error.what());
  }
}

}  // namespace weft::data::jinja
