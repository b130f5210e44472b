#include "weft/data/jinja/value_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "weft/data/jinja/characters.h"

namespace weft::data::jinja {
namespace {

// Those that repr() escapes; of the unassigned ones only what no text has.
bool is_printable(char32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return false;
  if (c == ' ') return true;
  const bool is_format = (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
                         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
                         (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xFFF0 && c <= 0xFFFB) ||
                         c >= 0xE0000;
  return !is_format && !is_python_space(c);
}

std::string escaped_character(char32_t c, char quote) {
  if (c == U'\n') return "\\n";
  if (c == U'\r') return "\\r";
  if (c == U'\t') return "\\t";
  if (c == U'\\' || c == static_cast<char32_t>(quote)) return {'\\', static_cast<char>(c)};
  if (is_printable(c)) return {};
  std::array<char, 16> out{};
  const char* format = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
  std::snprintf(out.data(), out.size(), format, static_cast<unsigned>(c));
  return out.data();
}

void append_quoted(const MarkedText& text, TextBuilder& out) {
  const bool has_single = text.text().find('\'') != std::string::npos;
  const char quote = has_single && text.text().find('"') == std::string::npos ? '"' : '\'';
  out.append({&quote, 1});
  text.for_each_run([&](std::string_view run, Source source) {
    char32_t c = 0;
    for (size_t i = 0, size; i < run.size(); i += size) {
      size = decode_character(run.substr(i), c);
      const std::string escaped = escaped_character(c, quote);
      out.append(escaped.empty() ? run.substr(i, size) : escaped, source);
    }
  });
  out.append({&quote, 1});
}

void append_sequence(const Sequence& sequence, Runtime& runtime, TextBuilder& out) {
  const bool is_tuple = sequence.kind == SequenceKind::kTuple;
  if (sequence.kind != SequenceKind::kList && !is_tuple) {
    refuse("a range, a view or a generator cannot be printed; hint: the filter `list`");
  }
  out.append(is_tuple ? "(" : "[");
  for (size_t i = 0; i < sequence.items.size(); ++i) {
    if (i > 0) out.append(", ");
    append_repr(sequence.items[i], runtime, out);
  }
  out.append(!is_tuple ? "]" : sequence.items.size() == 1 ? ",)" : ")");
}

void append_dict(const Dict& dict, Runtime& runtime, TextBuilder& out) {
  out.append("{");
  for (bool is_first = true; const auto& [key, value] : dict.entries) {
    if (!is_first) out.append(", ");
    is_first = false;
    append_repr(key, runtime, out);
    out.append(": ");
    append_repr(value, runtime, out);
  }
  out.append("}");
}

}  // namespace

void require_defined(const Value& value) {
  const auto* undefined = value.get_if<Undefined>();
  if (undefined == nullptr) return;
  const std::string name = undefined->name ? quote(*undefined->name) : "a value";
  if (undefined->is_forbidden) refuse("{} changes its object, which templates must not", name);
  refuse("{} is undefined", name);
}

// The shortest digits that are this number, with an exponent where repr() has one.
std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 40> buffer{};
  constexpr double kLeastFixed = 1e-4, kMostFixed = 1e16;
  const double size = std::abs(value);
  const bool is_fixed = value == 0 || (size >= kLeastFixed && size < kMostFixed);
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                    is_fixed ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  std::string out(buffer.data(), end);
  if (is_fixed && out.find('.') == out.npos) out += ".0";
  return out;
}

void append_str(const Value& value, Runtime& runtime, TextBuilder& out) {
  if (const String* text = value.string()) return out.append(text->text);
  if (value.is_undefined()) return;
  append_repr(value, runtime, out);
}

void append_repr(const Value& value, Runtime& runtime, TextBuilder& out) {
  runtime.use_steps();
  if (value.is_undefined()) {
    out.append("Undefined");
  } else if (value.is_none()) {
    out.append("None");
  } else if (const auto* flag = value.get_if<bool>()) {
    out.append(*flag ? "True" : "False");
  } else if (const auto* number = value.get_if<int64_t>()) {
    out.append(std::to_string(*number));
  } else if (const auto* real = value.get_if<double>()) {
    out.append(float_text(*real));
  } else if (const String* text = value.string()) {
    if (text->is_markup) refuse("markup within a list cannot be printed");
    append_quoted(text->text, out);
  } else if (const Sequence* sequence = value.sequence()) {
    append_sequence(*sequence, runtime, out);
  } else if (const Dict* dict = value.dict()) {
    append_dict(*dict, runtime, out);
  } else {
    refuse("a {} cannot be printed", type_name(value));
  }
}

MarkedText str(const Value& value, Runtime& runtime) {
  if (const String* text = value.string()) {
    runtime.use_bytes(text->text.size());
    return text->text;
  }
  TextBuilder out(runtime);
  append_str(value, runtime, out);
  return out.take();
}

}  // namespace weft::data::jinja
