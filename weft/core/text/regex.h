// Regular expressions over UTF-8, by Oniguruma. No other file includes Oniguruma.
#ifndef WEFT_CORE_TEXT_REGEX_H_
#define WEFT_CORE_TEXT_REGEX_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

struct RegexMatch {
  size_t begin, end;  // bytes of the text
};

// Immutable: any number of threads may search with one pattern at a time.
class Regex {
 public:
  // Ruby's syntax, as Oniguruma has it by default. Throws FormatError, prefixed with `where`.
  Regex(std::string_view pattern, std::string_view where);

  // The first match that begins at `from` or later, in text that is well-formed UTF-8. Throws
  // FormatError, prefixed with `where`, for a search that takes too many steps.
  std::optional<RegexMatch> search(std::string_view text, size_t from) const;

  const std::string& pattern() const { return pattern_; }

 private:
  struct Program;
  std::string pattern_, where_;
  std::shared_ptr<const Program> program_;
};

}  // namespace weft

#endif  // WEFT_CORE_TEXT_REGEX_H_
