// What methods and filters do to texts, as methods of Python's str. What a user typed stays marked.
#ifndef WEFT_DATA_JINJA_TEXT_FUNCTIONS_H_
#define WEFT_DATA_JINJA_TEXT_FUNCTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "weft/data/jinja/runtime.h"

namespace weft::data::jinja {

enum class Side { kLeft, kRight, kBoth };

// Without the characters of `set`, or white space, at its ends.
MarkedText stripped(const MarkedText& text, const std::optional<std::string>& set, Side side,
                    Runtime& runtime);

// Parts between separators, or between white space, as many splits as `most` if that is not
// negative.
struct SplitOptions {
  std::optional<std::string> separator = {};
  int64_t most = -1;
  bool from_right = false;
};
std::vector<Value> split_text(const String& text, const SplitOptions& options, Runtime& runtime);
std::vector<MarkedText> lines_of(const MarkedText& text, Runtime& runtime);

// `count` below 0: all.
MarkedText replaced(const MarkedText& text, const std::string& before, const MarkedText& after,
                    int64_t count, Runtime& runtime);
MarkedText joined(const std::vector<MarkedText>& parts, const MarkedText& between,
                  Runtime& runtime);

enum class Case { kLower, kUpper, kCapitalised, kTitle };
MarkedText in_case(const MarkedText& text, Case kind, Runtime& runtime);

// As HTML: &amp; for &.
MarkedText html_escaped(const MarkedText& text, Runtime& runtime);

// Characters of `width` at least, with spaces on one side or both.
MarkedText padded(const MarkedText& text, int64_t width, Side spaces, Runtime& runtime);

// `text` % values, and text.format(values).
MarkedText percent_formatted(const MarkedText& text, const Value& values, Runtime& runtime);
MarkedText brace_formatted(const MarkedText& text, const Arguments& values, Runtime& runtime);

}  // namespace weft::data::jinja

#endif  // WEFT_DATA_JINJA_TEXT_FUNCTIONS_H_
