#include "weft/options/option_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

#include "weft/core/error.h"
#include "weft/core/text/nearest.h"

namespace weft::options {
namespace {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int64_t value) { return fmt::format("{}", value); }
std::string text_of(double value) { return fmt::format("{}", value); }
template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : std::string(kAuto);
}
std::string text_of(const std::string& value) { return value; }
std::string text_of(const Period& value) { return value.text(); }
std::string text_of(const Selection& value) { return std::string(value.name()); }

template <class T>
bool read_whole(std::string_view text, T& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stop == end;
}

struct Reader {
  const Option& option;
  std::string_view where;

  [[noreturn]] void refuse(std::string_view problem, std::string_view text,
                           std::string_view hint = "") const {
    fail<OptionError>(where, "{}; expected {}, got {}{}", problem, expectation(option), quote(text),
                      hint);
  }
  void check_range(double value, std::string_view text) const {
    if (value < option.meta.min || value > option.meta.max) refuse("out of range", text);
  }

  void read(const std::string& text, bool& value) const {
    if (text == "true" || text == "yes" || text == "on") {
      value = true;
    } else if (text == "false" || text == "no" || text == "off") {
      value = false;
    } else {
      refuse("neither true nor false", text);
    }
  }

  void read(const std::string& text, double& value) const {
    if (!read_whole(text, value) || !std::isfinite(value)) refuse("not a number", text);
    check_range(value, text);
  }

  void read(const std::string& text, int64_t& value) const {
    if (!read_whole(text, value)) {
      constexpr double kMaxExact = 9007199254740992.0;
      double real = 0;
      const bool is_whole = read_whole(text, real) && real == std::trunc(real);
      if (!is_whole) refuse("not a whole number", text);
      if (std::abs(real) > kMaxExact) refuse("out of range", text);
      value = static_cast<int64_t>(real);
    }
    check_range(static_cast<double>(value), text);
  }

  template <class T>
  void read(const std::string& text, std::optional<T>& value) const {
    if (text == kAuto) return value.reset();
    read(text, value.emplace());
  }

  void read(const std::string& text, std::string& value) const {
    // The default need not be among the choices: "" may mean none.
    const bool is_default = !option.is_list() && text == option.defaults[0];
    if (!option.meta.choices.empty() && !is_default) {
      const std::vector<std::string> choices = split_choices(option.meta.choices);
      if (std::find(choices.begin(), choices.end(), text) == choices.end())
        refuse("unknown value", text, nearest_hint(text, choices));
    }
    value = text;
  }

  void read(const std::string& text, Selection& value) const {
    if (value.select(text)) return;
    refuse("unknown value", text, nearest_hint(text, split_choices(option.meta.choices)));
  }

  void read(const std::string& text, Period& value) const {
    const Period period = parse_period(text, where);
    check_range(static_cast<double>(period.value), text);
    value = period;
  }
};

std::string kind_of(const Option& option) {
  if (option.is_bool()) return "true or false";
  if (!option.meta.choices.empty())
    return fmt::format("one of {}", fmt::join(split_choices(option.meta.choices), ", "));
  if (option.is<Period>()) return "a period in u (updates), t (target tokens) or e (epochs)";
  if (option.is_text()) {
    const Meta& meta = option.meta;
    return meta.reads || meta.writes || meta.replaces_file ? "the path of a file" : "text";
  }
  const bool is_whole = option.is<int64_t>() || option.is<std::optional<int64_t>>() ||
                        option.is<std::vector<int64_t>>();
  return fmt::format("{}a {}number", option.may_be_auto() ? "auto or " : "",
                     is_whole ? "whole " : "");
}

}  // namespace

std::vector<std::string> values_of(const Option& option) { return values_of(option.slot()); }

std::vector<std::string> values_of(const OptionSlot& slot) {
  return std::visit(
      [](const auto* value) {
        std::vector<std::string> out;
        if constexpr (IsVector<std::remove_cvref_t<decltype(*value)>>::value) {
          for (const auto& element : *value) out.push_back(text_of(element));
        } else {
          out.push_back(text_of(*value));
        }
        return out;
      },
      slot);
}

std::string text_of(const OptionSlot& slot) {
  return fmt::format("{}", fmt::join(values_of(slot), " "));
}

void read_values(const Option& option, std::span<const std::string> values,
                 std::string_view where) {
  const Reader reader{option, where};
  const auto read_into = [&](auto* slot) {
    using Value = std::remove_pointer_t<decltype(slot)>;
    if constexpr (IsVector<Value>::value) {
      Value out(values.size());
      for (size_t i = 0; i < values.size(); ++i) reader.read(values[i], out[i]);
      *slot = std::move(out);
    } else {
      if (values.size() != 1)
        fail<OptionError>(where, "one value is needed; expected {}, got {} values",
                          expectation(option), values.size());
      Value out = *slot;
      reader.read(values[0], out);
      *slot = std::move(out);
    }
  };
  for (const OptionBinding& binding : option.bindings) std::visit(read_into, binding.slot);
}

std::string expectation(const Option& option) {
  std::string out = kind_of(option);
  const bool has_min = std::isfinite(option.meta.min), has_max = std::isfinite(option.meta.max);
  if (has_min && has_max) {
    out += fmt::format(" from {} to {}", option.meta.min, option.meta.max);
  } else if (has_min) {
    out += fmt::format(" of at least {}", option.meta.min);
  } else if (has_max) {
    out += fmt::format(" of at most {}", option.meta.max);
  }
  return out;
}

std::vector<std::string> split_choices(std::string_view choices) {
  std::vector<std::string> out;
  while (!choices.empty()) {
    const size_t bar = choices.find('|');
    out.emplace_back(choices.substr(0, bar));
    choices.remove_prefix(bar == std::string_view::npos ? choices.size() : bar + 1);
  }
  return out;
}

}  // namespace weft::options
