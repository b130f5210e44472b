#include "weft/data/subwords/word_rules.h"

#include <algorithm>
#include <array>

#include "weft/core/text/character_classes.h"
#include "weft/core/text/utf8.h"

namespace weft::data {

namespace {

constexpr std::string_view kLongS = "\xC5\xBF";  // U+017F, an s if case does not matter

// The character at a place of the text and its classes; of length 0 at the end.
struct Character {
  char32_t c = 0;
  uint16_t classes = 0;
  uint32_t length = 0;

  bool is(uint16_t some) const { return (classes & some) != 0; }
  bool is_newline() const { return c == '\n' || c == '\r'; }
};

class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  Character at(size_t i) const {
    Character out;
    if (i < text_.size()) {
      out.length = static_cast<uint32_t>(decode_code_point(text_.substr(i), out.c));
      out.classes = classes_[out.c];
    }
    return out;
  }

  // The end of a run of up to `most` characters with one of these classes.
  size_t end_of_run(size_t i, uint16_t some, size_t most = static_cast<size_t>(-1)) const {
    for (Character c = at(i); c.is(some) && most > 0; c = at(i), --most) i += c.length;
    return i;
  }
  // The same with none of them.
  size_t end_of_others(size_t i, uint16_t none) const {
    for (Character c = at(i); c.length > 0 && !c.is(none); c = at(i)) i += c.length;
    return i;
  }
  size_t end_of_newlines(size_t i) const {
    while (i < text_.size() && (text_[i] == '\n' || text_[i] == '\r')) ++i;
    return i;
  }

  // `\s+(?!\S)|\s+`: a run of spaces, without the last one if a word follows.
  size_t end_of_spaces(size_t begin) const {
    size_t i = begin, last = begin;
    for (Character c = at(i); c.is(kSpaceClass); c = at(i)) {
      last = i;
      i += c.length;
    }
    return i == text_.size() || last == begin ? i : last;
  }

  // Bytes of the contraction that begins at an apostrophe, or 0.
  size_t contraction(size_t i, bool any_case) const {
    const std::string_view rest = text_.substr(i + 1, 2);
    if (any_case && rest == kLongS) return 1 + kLongS.size();
    const auto letter = [&](size_t k) {
      const char c = k < rest.size() ? rest[k] : '\0';
      return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    const char a = letter(0), b = letter(1);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
    const bool has_two = ((a == 'r' || a == 'v') && b == 'e') || (a == 'l' && b == 'l');
    return has_two ? 3 : 0;
  }

 private:
  std::string_view text_;
  const CharacterClasses& classes_ = CharacterClasses::instance();
};

class Gpt2Rule : public WordRule {
 public:
  size_t end_of_word(std::string_view text, size_t i) const override {
    const TextReader reader(text);
    if (text[i] == '\'') {
      if (const size_t size = reader.contraction(i, false)) return i + size;
    }
    const size_t begin = i + (text[i] == ' ' ? 1 : 0);
    const Character c = reader.at(begin);
    if (c.is(kLetterClass)) return reader.end_of_run(begin, kLetterClass);
    if (c.is(kNumberClass)) return reader.end_of_run(begin, kNumberClass);
    if (c.length > 0 && !c.is(kSpaceClass)) {
      return reader.end_of_others(begin, kSpaceClass | kLetterClass | kNumberClass);
    }
    return reader.end_of_spaces(i);
  }
};

// (?i:'s|...)|[^\r\n\p{L}\p{N}]?W+|\p{N}{1,n}| ?[^\sW\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
class Gpt4Rule : public WordRule {
 public:
  constexpr Gpt4Rule(size_t digits, uint16_t word) : digits_(digits), word_(word) {}

  size_t end_of_word(std::string_view text, size_t i) const override {
    const TextReader reader(text);
    if (text[i] == '\'') {
      if (const size_t size = reader.contraction(i, true)) return i + size;
    }
    const Character c = reader.at(i);
    if (!c.is(kLetterClass | kNumberClass) && !c.is_newline() &&
        reader.at(i + c.length).is(word_)) {
      return reader.end_of_run(i + c.length, word_);
    }
    if (c.is(word_)) return reader.end_of_run(i, word_);
    if (c.is(kNumberClass)) return reader.end_of_run(i, kNumberClass, digits_);
    const auto others = static_cast<uint16_t>(kSpaceClass | kNumberClass | word_);
    const size_t begin = i + (text[i] == ' ' ? 1 : 0);
    if (const size_t end = reader.end_of_others(begin, others); end > begin) {
      return reader.end_of_newlines(end);
    }
    const size_t end = reader.end_of_run(i, kSpaceClass);
    const size_t newline = text.substr(i, end - i).find_last_of("\r\n");
    return newline != text.npos ? i + newline + 1 : reader.end_of_spaces(i);
  }

 private:
  size_t digits_;  // that stay together
  uint16_t word_;  // the classes of characters of words
};

const Gpt2Rule kGpt2Rule;
const Gpt4Rule kGpt4Rule(3, kLetterClass);
const Gpt4Rule kQwen2Rule(1, kLetterClass);
const Gpt4Rule kQwen35Rule(1, kLetterClass | kMarkClass);

constexpr std::array<std::string_view, 4> kPatterns = {
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
    R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
constexpr std::array<const WordRule*, 4> kRules = {&kGpt2Rule, &kGpt4Rule, &kQwen2Rule,
                                                   &kQwen35Rule};

}  // namespace

const std::string_view kGpt2Pattern = kPatterns[0];

std::span<const std::string_view> word_rule_patterns() { return kPatterns; }

const WordRule* word_rule(std::string_view pattern) {
  const auto found = std::ranges::find(kPatterns, pattern);
  return found == kPatterns.end() ? nullptr
                                  : kRules[static_cast<size_t>(found - kPatterns.begin())];
}

}  // namespace weft::data
