#include "weft/metrics/text/tokenize.h"

#include <array>
#include <utility>

#include "weft/core/error.h"
#include "weft/metrics/text/text.h"

namespace weft::metrics {
namespace {

constexpr std::array<std::pair<Tokenizer, std::string_view>, 4> kNames = {
    {{Tokenizer::k13a, "13a"},
     {Tokenizer::kNone, "none"},
     {Tokenizer::kChar, "char"},
     {Tokenizer::kZh, "zh"}}};

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_point(char32_t c) { return c == U'.' || c == U','; }

// ASCII punctuation and symbols except apostrophe, comma, hyphen and full stop.
bool is_symbol(char32_t c) {
  return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') || (c >= U' ' && c <= U'&') ||
         (c >= U'(' && c <= U'+') || (c >= U':' && c <= U'@') || c == U'/';
}

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (size_t i = text.find(from); i != text.npos; i = text.find(from, i + to.size())) {
    text.replace(i, from.size(), to);
  }
}

std::u32string separate_symbols(std::u32string_view text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (is_symbol(c)) {
      out += {U' ', c, U' '};
    } else {
      out.push_back(c);
    }
  }
  return out;
}

// Inserts spaces around one character of each adjacent pair that `first` and `second` accept: "ab"
// becomes " a b", or "a b " without `space_before`. Pairs are matched from left to right without
// overlap.
template <class First, class Second>
std::u32string separate_pairs(std::u32string_view text, First first, Second second,
                              bool space_before) {
  std::u32string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out.push_back(text[i]);
      continue;
    }
    if (space_before) {
      out += {U' ', text[i], U' ', text[i + 1]};
    } else {
      out += {text[i], U' ', text[i + 1], U' '};
    }
    ++i;
  }
  return out;
}

// The western-language part of mteval-v13a.
std::vector<std::u32string> split_western(std::u32string_view line) {
  const auto is_other = [](char32_t c) { return !is_digit(c); };
  const auto is_hyphen = [](char32_t c) { return c == U'-'; };
  std::u32string text = separate_symbols(line);
  text = separate_pairs(text, is_other, is_point, false);
  text = separate_pairs(text, is_point, is_other, true);
  text = separate_pairs(text, is_digit, is_hyphen, false);
  return split(text);
}

std::vector<std::u32string> tokenize_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  return split_western(U" " + text + U" ");
}

// sacreBLEU's list. Its two ranges above U+FFFF are written as five-digit escapes, which Python
// parses as four digits and a character, giving U+2001..2A6D and U+2F81..2FA1. They are kept for
// equal scores.
bool is_chinese(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kRanges[] = {
      {0x3400, 0x4DB5}, {0x4E00, 0x9FA5}, {0x9FA6, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9}, {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF},
      {0x3000, 0x303F}, {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F},
      {0x31A0, 0x31BF}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x3200, 0x33FF}};
  for (const auto& [first, last] : kRanges) {
    if (c >= first && c <= last) return true;
  }
  return false;
}

std::vector<std::u32string> tokenize_zh(std::u32string_view line) {
  std::u32string text;
  for (const char32_t c : line) {
    if (is_chinese(c)) {
      text += {U' ', c, U' '};
    } else {
      text.push_back(c);
    }
  }
  return split_western(text);  // unlike 13a, without spaces around the line
}

std::vector<std::u32string> tokenize_char(std::u32string_view line) {
  std::vector<std::u32string> out;
  for (const char32_t c : line) {
    if (!is_space(c)) out.emplace_back(1, c);
  }
  return out;
}

}  // namespace

std::string_view name_of(Tokenizer tokenizer) {
  for (const auto& [kind, name] : kNames) {
    if (kind == tokenizer) return name;
  }
  return "?";
}

Tokenizer tokenizer_of(std::string_view name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  fail<OptionError>("tokenize", "unknown tokeniser {}; expected 13a, none, char or zh",
                    quote(name));
}

std::vector<std::u32string> tokenize(Tokenizer tokenizer, std::u32string_view line) {
  line = trim(line);
  switch (tokenizer) {
    case Tokenizer::k13a: return tokenize_13a(line);
    case Tokenizer::kNone: return split(line);
    case Tokenizer::kChar: return tokenize_char(line);
    case Tokenizer::kZh: return tokenize_zh(line);
  }
  return {};
}

}  // namespace weft::metrics
