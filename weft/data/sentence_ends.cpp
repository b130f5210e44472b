#include "weft/data/sentence_ends.h"

#include <algorithm>

#include "weft/core/utf8.h"

namespace weft::data {
namespace {

// Marks that also stand inside words and numbers, so that white space has to follow: the ellipsis
// and the fullwidth full stop among them.
constexpr std::u32string_view kOpenMarks = U".!?\u2026\uFF0E";
// Arabic and Urdu; Devanagari; Armenian; Ethiopic; Khmer, Burmese and Tibetan; double marks;
// Chinese and Japanese.
constexpr std::u32string_view kPlainMarks =
    U"\u061F\u06D4\u0964\u0965\u0589\u1362\u1367\u1368\u17D4\u104B\u0F0D\u203C\u2047\u2048\u2049"
    U"\u3002\uFF01\uFF1F\uFF61";
constexpr std::u32string_view kClosing =
    U"\"')]}\u00BB\u203A\u2019\u201D\u300D\u300F\uFF09\u3011\u300B\u3009\uFF3D\uFF5D\uFF63\uFF02"
    U"\uFF07";
constexpr std::u32string_view kSpaces = U" \t\u00A0\u202F\u3000";

// What may stand before an abbreviation, but for spaces.
constexpr std::u32string_view kBefore = U".-'(\"\u2019\u201C\u00AB";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

// Latin, Greek, Cyrillic and Armenian.
bool is_capital(char32_t c) {
  return (c >= U'A' && c <= U'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) ||
         (c >= 0x100 && c <= 0x17F && c % 2 == 0) || (c >= 0x391 && c <= 0x3A9) ||
         (c >= 0x400 && c <= 0x42F) || (c >= 0x531 && c <= 0x556);
}

bool is_chinese_or_japanese(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFF01 && c <= 0xFF9F) || (c >= 0x20000 && c <= 0x3FFFF);
}

struct CodePoint {
  char32_t value;
  size_t begin;  // in bytes
};

// A byte that belongs to no well-formed code point is one of its own.
std::vector<CodePoint> code_points(std::string_view text) {
  std::vector<CodePoint> out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    char32_t value = static_cast<unsigned char>(text[i]);
    const size_t length = decode_code_point(text.substr(i), value);
    out.push_back({value, i});
    i += std::max<size_t>(length, 1);
  }
  return out;
}

char32_t last_code_point(std::string_view text) {
  constexpr size_t kLongest = 4;
  return code_points(text.substr(text.size() - std::min(text.size(), kLongest))).back().value;
}

// Whether the full stop at `at` may belong to an abbreviation or an ordinal number.
bool is_abbreviating(const std::vector<CodePoint>& text, size_t at) {
  if (at == 0 || text[at].value != U'.') return false;
  size_t begin = at - 1;  // of the letter or the number
  if (is_digit(text[begin].value)) {
    while (begin > 0 && is_digit(text[begin - 1].value)) --begin;
  } else if (!is_capital(text[begin].value)) {
    return false;
  }
  return begin == 0 || is_in(kBefore, text[begin - 1].value) ||
         is_in(kSpaces, text[begin - 1].value);
}

}  // namespace

std::vector<size_t> sentence_ends(std::string_view line) {
  const std::vector<CodePoint> text = code_points(line);
  std::vector<size_t> ends;
  for (size_t i = 0; i < text.size();) {
    const size_t first = i;
    bool is_plain = false;
    const auto is_mark = [&](char32_t c) { return is_in(kOpenMarks, c) || is_in(kPlainMarks, c); };
    for (; i < text.size() && is_mark(text[i].value); ++i) {
      is_plain = is_plain || is_in(kPlainMarks, text[i].value);
    }
    const size_t marks = i - first;
    if (marks == 0) {
      ++i;
      continue;
    }
    while (i < text.size() && is_in(kClosing, text[i].value)) ++i;
    const size_t spaces = i;
    while (i < text.size() && is_in(kSpaces, text[i].value)) ++i;
    if (i == text.size()) break;
    if (i == spaces && !is_plain) continue;
    if (marks == 1 && is_abbreviating(text, first)) continue;
    ends.push_back(text[i].begin);
  }
  if (!line.empty()) ends.push_back(line.size());
  return ends;
}

std::string join_sentences(std::span<const std::string> sentences) {
  std::string out;
  for (const std::string& sentence : sentences) {
    if (sentence.empty()) continue;
    if (!out.empty() && !is_chinese_or_japanese(last_code_point(out))) out += ' ';
    out += sentence;
  }
  return out;
}

}  // namespace weft::data
