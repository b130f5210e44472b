// Values as text, as str(), repr() and json.dumps() of Python write them.
#ifndef WEFT_DATA_JINJA_VALUE_TEXT_H_
#define WEFT_DATA_JINJA_VALUE_TEXT_H_

#include <string>

#include "weft/data/jinja/runtime.h"

namespace weft::data::jinja {

// Throws RenderError for an undefined value.
void require_defined(const Value& value);

std::string float_text(double value);

void append_str(const Value& value, Runtime& runtime, TextBuilder& out);
void append_repr(const Value& value, Runtime& runtime, TextBuilder& out);
MarkedText str(const Value& value, Runtime& runtime);

struct JsonStyle {
  bool ensure_ascii = false;
  std::string indent = {};  // of each level
  bool has_lines = false;   // an element a line
  std::string item_separator = ", ", key_separator = ": ";
  bool sort_keys = false;
};
// Throws RenderError for what JSON does not have.
MarkedText json_text(const Value& value, const JsonStyle& style, Runtime& runtime);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_VALUE_TEXT_H_
