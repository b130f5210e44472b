// Filters of texts and numbers.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "weft/data/jinja/arguments.h"
#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/filters.h"
#include "weft/data/jinja/text_functions.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

bool is_markup(const Value& value) {
  return value.string() != nullptr && value.string()->is_markup;
}

// The value as a text, which stays markup where it is.
Value text_with(Runtime& runtime, const Value& input, MarkedText text) {
  return runtime.text(std::move(text), is_markup(input));
}

template <Case kCase>
Value case_filter(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("a change of case", arguments, {});
  return text_with(runtime, input, in_case(str(input, runtime), kCase, runtime));
}

Value trim(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("trim", arguments, {"chars"});
  return text_with(
      runtime, input,
      stripped(str(input, runtime), optional_text(given[0], "trim"), Side::kBoth, runtime));
}

Value replace(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("replace", arguments, {"old", "new", "count"}, 2);
  return runtime.text(
      replaced(str(input, runtime), str(*given[0], runtime).text(), str(*given[1], runtime),
               is_given(given[2]) ? integer_or(given[2], -1, "replace") : -1, runtime));
}

Value string(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("string", arguments, {});
  return input.string() != nullptr ? input : runtime.text(str(input, runtime));
}

Value safe(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("safe", arguments, {});
  return runtime.text(str(input, runtime), true);
}

Value escape(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("escape", arguments, {});
  if (is_markup(input)) return input;
  return runtime.text(html_escaped(str(input, runtime), runtime), true);
}

Value indent(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given = bind("indent", arguments, {"width", "first", "blank"});
  require_defined(input);
  const MarkedText& text = text_argument(input, "indent");
  MarkedText space;
  if (given[0] != nullptr && given[0]->string() != nullptr) {
    space = given[0]->string()->text;
  } else {
    constexpr int64_t kWidth = 4;
    TextBuilder spaces(runtime);
    const int64_t width = integer_or(given[0], kWidth, "indent");
    spaces.fill(static_cast<size_t>(std::max<int64_t>(width, 0)), " ");
    space = spaces.take();
  }
  const bool first = given[1] != nullptr && is_true(*given[1]);
  const bool blank = given[2] != nullptr && is_true(*given[2]);
  MarkedText closed = text;
  closed.append("\n");
  runtime.use_bytes(closed.size());
  TextBuilder out(runtime);
  for (bool is_first = true; const MarkedText& line : lines_of(closed, runtime)) {
    if (!is_first) out.append("\n");
    if (is_first ? first : blank || !line.empty()) out.append(space);
    out.append(line);
    is_first = false;
  }
  return text_with(runtime, input, out.take());
}

Value center(Runtime& runtime, const Value& input, const Arguments& arguments) {
  constexpr int64_t kWidth = 80;
  const auto given = bind("center", arguments, {"width"});
  return text_with(
      runtime, input,
      padded(str(input, runtime), integer_or(given[0], kWidth, "center"), Side::kBoth, runtime));
}

Value format(Runtime& runtime, const Value& input, const Arguments& arguments) {
  if (is_markup(input)) refuse("format of a text that is marked as safe");
  std::vector<std::pair<Value, Value>> named;
  for (const auto& [name, value] : arguments.named) named.emplace_back(runtime.text(name), value);
  if (!named.empty() && !arguments.values.empty()) refuse("format: values with and without names");
  const Value values = named.empty() ? runtime.sequence(arguments.values, SequenceKind::kTuple)
                                     : runtime.dict(std::move(named));
  return runtime.text(percent_formatted(str(input, runtime), values, runtime));
}

Value wordcount(Runtime& runtime, const Value& input, const Arguments& arguments) {
  bind("wordcount", arguments, {});
  const MarkedText text = str(input, runtime);
  int64_t count = 0;
  bool in_word = false;
  for_each_character(text, [&](size_t begin, size_t end) {
    const char c = text.text()[begin];
    const bool is_word = end - begin > 1 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                         (c >= 'A' && c <= 'Z') || c == '_';
    count += is_word && !in_word ? 1 : 0;
    in_word = is_word;
  });
  return count;
}

Value tojson(Runtime& runtime, const Value& input, const Arguments& arguments) {
  const auto given =
      bind("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensure_ascii = given[0] != nullptr && is_true(*given[0]);
  style.sort_keys = given[3] != nullptr && is_true(*given[3]);
  if (is_given(given[1])) {
    constexpr int64_t kMostSpaces = 1000;
    style.has_lines = true;
    style.item_separator = ",";
    style.indent = given[1]->string() != nullptr
                       ? given[1]->string()->text.text()
                       : std::string(static_cast<size_t>(std::clamp<int64_t>(
                                         to_integer(*given[1], "indent"), 0, kMostSpaces)),
                                     ' ');
  }
  if (is_given(given[2])) {
    const std::vector<Value> separators = items_of(*given[2], runtime);
    if (separators.size() != 2) refuse("tojson: expected two separators");
    style.item_separator = text_argument(separators[0], "tojson").text();
    style.key_separator = text_argument(separators[1], "tojson").text();
  }
  return runtime.text(json_text(input, style, runtime));
}

// The number that a text is, without white space around it; nothing if it is none.
template <class Number, class... Base>
std::optional<Number> number_of(const MarkedText& text, Base... base) {
  std::string_view digits = text.text();
  while (!digits.empty() && is_python_space(static_cast<unsigned char>(digits[0]))) {
    digits.remove_prefix(1);
  }
  while (!digits.empty() && is_python_space(static_cast<unsigned char>(digits.back()))) {
    digits.remove_suffix(1);
  }
  if (((base == 16) || ...) && digits.starts_with("0x")) digits.remove_prefix(2);
  if (digits.starts_with('+') && !digits.substr(1).starts_with('-')) digits.remove_prefix(1);
  Number out = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out, base...);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

std::optional<int64_t> whole_part(double real) {
  if (!(real > -9.2e18 && real < 9.2e18)) return std::nullopt;
  return static_cast<int64_t>(real);
}

Value to_int(Runtime&, const Value& input, const Arguments& arguments) {
  const auto given = bind("int", arguments, {"default", "base"});
  require_defined(input);
  constexpr int64_t kDecimal = 10;
  const int64_t base = integer_or(given[1], kDecimal, "int");
  const Value missing = given[0] == nullptr ? Value(int64_t{0}) : *given[0];
  if (base < 2 || base > 36) refuse("int: a base of {}; expected 2 to 36", base);
  std::optional<int64_t> out;
  if (const String* text = input.string()) {
    out = number_of<int64_t>(text->text, static_cast<int>(base));
    if (!out) {
      const std::optional<double> real = number_of<double>(text->text);
      if (real) out = whole_part(*real);
    }
  } else if (is_number(input)) {
    out = input.is<double>() ? whole_part(to_double(input)) : to_integer(input, "int");
  }
  return out ? Value(*out) : missing;
}

Value to_float(Runtime&, const Value& input, const Arguments& arguments) {
  const auto given = bind("float", arguments, {"default"});
  require_defined(input);
  if (is_number(input)) return to_double(input);
  const std::optional<double> real =
      input.string() == nullptr ? std::nullopt : number_of<double>(input.string()->text);
  if (real) return *real;
  return given[0] == nullptr ? Value(0.0) : *given[0];
}

Value abs(Runtime&, const Value& input, const Arguments& arguments) {
  bind("abs", arguments, {});
  require_defined(input);
  if (const auto* real = input.get_if<double>()) return std::abs(*real);
  const int64_t number = to_integer(input, "abs");
  if (number == INT64_MIN) refuse("a whole number of more than 64 bits");
  return number < 0 ? -number : number;
}

Value round(Runtime&, const Value& input, const Arguments& arguments) {
  const auto given = bind("round", arguments, {"precision", "method"});
  require_defined(input);
  if (!is_number(input)) refuse("round: expected a number, got {}", type_name(input));
  const std::string method = optional_text(given[1], "round").value_or("common");
  const int64_t digits = integer_or(given[0], 0, "round");
  constexpr int64_t kMostDigits = 15;
  if (digits < 0 || digits > kMostDigits) refuse("round: a precision of {}", digits);
  const double value = to_double(input);
  if (method == "common") {
    char text[400];
    std::snprintf(text, sizeof(text), "%.*f", static_cast<int>(digits), value);
    return std::strtod(text, nullptr);
  }
  const double scale = std::pow(10.0, static_cast<double>(digits));
  if (method == "ceil") return std::ceil(value * scale) / scale;
  if (method == "floor") return std::floor(value * scale) / scale;
  refuse("round: method {}; expected common, ceil or floor", quote(method));
}

}  // namespace

std::span<const NamedBuiltin> text_filters() {
  static constexpr NamedBuiltin kFilters[] = {
      {"abs", abs},
      {"capitalize", case_filter<Case::kCapitalised>},
      {"center", center},
      {"e", escape},
      {"escape", escape},
      {"float", to_float},
      {"format", format},
      {"indent", indent},
      {"int", to_int},
      {"lower", case_filter<Case::kLower>},
      {"replace", replace},
      {"round", round},
      {"safe", safe},
      {"string", string},
      {"title", case_filter<Case::kTitle>},
      {"tojson", tojson},
      {"trim", trim},
      {"upper", case_filter<Case::kUpper>},
      {"wordcount", wordcount},
  };
  return kFilters;
}

}  // namespace weft::data::jinja
