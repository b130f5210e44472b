// json.dumps() of Python.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "weft/data/jinja/characters.h"
#include "weft/data/jinja/value_text.h"

namespace weft::data::jinja {
namespace {

// The escape of a character; empty: itself.
std::string json_escape(char32_t c, bool ensure_ascii) {
  switch (c) {
    case U'"': return "\\\"";
    case U'\\': return "\\\\";
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    case U'\f': return "\\f";
    case U'\b': return "\\b";
    default: break;
  }
  if (c >= 0x20 && (c < 0x7F || !ensure_ascii)) return {};
  std::array<char, 16> out{};
  if (c >= 0x10000) {
    const auto high = static_cast<unsigned>(0xD800 + ((c - 0x10000) >> 10));
    const auto low = static_cast<unsigned>(0xDC00 + ((c - 0x10000) & 0x3FF));
    std::snprintf(out.data(), out.size(), "\\u%04x\\u%04x", high, low);
  } else {
    std::snprintf(out.data(), out.size(), "\\u%04x", static_cast<unsigned>(c));
  }
  return out.data();
}

class JsonWriter {
 public:
  JsonWriter(const JsonStyle& style, Runtime& runtime)
      : style_(style), runtime_(runtime), out_(runtime) {}

  void write(const Value& value, int level);
  MarkedText take() { return out_.take(); }

 private:
  void write_text(const MarkedText& text);
  void write_sequence(const std::vector<Value>& items, int level);
  void write_dict(const Dict& dict, int level);
  void write_key(const Value& key);
  void separate(bool is_first, int level);
  void end_lines(int level);

  const JsonStyle& style_;
  Runtime& runtime_;
  TextBuilder out_;
};

std::string json_number(const Value& value) {
  if (const auto* flag = value.get_if<bool>()) return *flag ? "true" : "false";
  if (const auto* number = value.get_if<int64_t>()) return std::to_string(*number);
  const double real = to_double(value);
  if (std::isnan(real)) return "NaN";
  if (std::isinf(real)) return real < 0 ? "-Infinity" : "Infinity";
  return float_text(real);
}

void JsonWriter::write_text(const MarkedText& text) {
  out_.append("\"");
  text.for_each_run([&](std::string_view run, Source source) {
    char32_t c = 0;
    for (size_t i = 0, size; i < run.size(); i += size) {
      size = decode_character(run.substr(i), c);
      const std::string escape = json_escape(c, style_.ensure_ascii);
      out_.append(escape.empty() ? run.substr(i, size) : escape, source);
    }
  });
  out_.append("\"");
}

void JsonWriter::separate(bool is_first, int level) {
  if (!is_first) out_.append(style_.item_separator);
  end_lines(level);
}

void JsonWriter::end_lines(int level) {
  if (!style_.has_lines) return;
  out_.append("\n");
  out_.fill(static_cast<size_t>(level), style_.indent);
}

void JsonWriter::write_sequence(const std::vector<Value>& items, int level) {
  if (items.empty()) return out_.append("[]");
  out_.append("[");
  for (size_t i = 0; i < items.size(); ++i) {
    separate(i == 0, level + 1);
    write(items[i], level + 1);
  }
  end_lines(level);
  out_.append("]");
}

void JsonWriter::write_key(const Value& key) {
  if (const String* text = key.string()) return write_text(text->text);
  if (!is_number(key) && !key.is_none()) refuse("JSON has no keys of type {}", type_name(key));
  out_.append("\"");
  out_.append(key.is_none() ? "null" : json_number(key));
  out_.append("\"");
}

void JsonWriter::write_dict(const Dict& dict, int level) {
  if (dict.entries.empty()) return out_.append("{}");
  auto entries = dict.entries;
  if (style_.sort_keys) {
    std::ranges::stable_sort(entries, [&](const auto& a, const auto& b) {
      return compare(a.first, b.first, runtime_) < 0;
    });
  }
  out_.append("{");
  for (size_t i = 0; i < entries.size(); ++i) {
    separate(i == 0, level + 1);
    write_key(entries[i].first);
    out_.append(style_.key_separator);
    write(entries[i].second, level + 1);
  }
  end_lines(level);
  out_.append("}");
}

void JsonWriter::write(const Value& value, int level) {
  runtime_.use_steps();
  const Sequence* sequence = value.sequence();
  const bool is_list = value.is_sequence(SequenceKind::kList);
  if (value.is_none()) {
    out_.append("null");
  } else if (is_number(value)) {
    out_.append(json_number(value));
  } else if (const String* text = value.string()) {
    write_text(text->text);
  } else if (is_list || value.is_sequence(SequenceKind::kTuple)) {
    write_sequence(sequence->items, level);
  } else if (const Dict* dict = value.dict()) {
    write_dict(*dict, level);
  } else {
    require_defined(value);
    refuse("JSON has nothing for a {}", type_name(value));
  }
}

}  // namespace

MarkedText json_text(const Value& value, const JsonStyle& style, Runtime& runtime) {
  JsonWriter writer(style, runtime);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace weft::data::jinja
