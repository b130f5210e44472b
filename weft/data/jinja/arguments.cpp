#include "weft/data/jinja/arguments.h"

#include <algorithm>

namespace weft::data::jinja {

std::vector<const Value*> bind(std::string_view function, const Arguments& arguments,
                               std::initializer_list<std::string_view> parameters,
                               size_t required) {
  if (arguments.values.size() > parameters.size()) {
    refuse("{}: expected at most {} arguments, got {}", function, parameters.size(),
           arguments.values.size());
  }
  std::vector<const Value*> out(parameters.size(), nullptr);
  for (size_t i = 0; i < arguments.values.size(); ++i) out[i] = &arguments.values[i];
  for (const auto& [name, value] : arguments.named) {
    const auto* found = std::ranges::find(parameters, name);
    if (found == parameters.end()) refuse("{}: no argument {}", function, quote(name));
    const Value*& slot = out[static_cast<size_t>(found - parameters.begin())];
    if (slot != nullptr) refuse("{}: argument {} is given twice", function, quote(name));
    slot = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (out[i] == nullptr) refuse("{}: expected {}", function, quote(parameters.begin()[i]));
  }
  return out;
}

const MarkedText& text_argument(const Value& value, std::string_view function) {
  if (value.string() == nullptr) refuse("{}: expected a str, got {}", function, type_name(value));
  return value.string()->text;
}

std::optional<std::string> optional_text(const Value* value, std::string_view function) {
  if (!is_given(value)) return std::nullopt;
  return text_argument(*value, function).text();
}

int64_t integer_or(const Value* value, int64_t missing, std::string_view function) {
  return value == nullptr ? missing : to_integer(*value, function);
}

bool is_given(const Value* value) { return value != nullptr && !value->is_none(); }

}  // namespace weft::data::jinja
