#include "weft/core/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>

#include "weft/core/text/sentence_tables.h"
#include "weft/core/text/upper_case_table.h"

namespace weft {
namespace {

constexpr char32_t kSigma = U'Σ', kFinalSigma = U'ς';

utf8proc_int32_t code_point(char32_t c) { return static_cast<utf8proc_int32_t>(c); }

// Whether the first character that is not ignored is a cased one.
template <class Iterator>
bool meets_cased(Iterator c, Iterator end) {
  while (c != end && contains(kCaseIgnorable, *c)) ++c;
  return c != end && contains(kCased, *c);
}

// Final_Sigma of Unicode's SpecialCasing: at the end of a word.
bool is_final(std::u32string_view text, size_t sigma) {
  const std::u32string_view before = text.substr(0, sigma), after = text.substr(sigma + 1);
  return meets_cased(before.rbegin(), before.rend()) && !meets_cased(after.begin(), after.end());
}

}  // namespace

std::u32string to_lower(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == U'İ') {
      out += U"i\u0307";
    } else if (text[i] == kSigma && is_final(text, i)) {
      out.push_back(kFinalSigma);
    } else {
      out.push_back(static_cast<char32_t>(utf8proc_tolower(code_point(text[i]))));
    }
  }
  return out;
}

std::u32string to_upper(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (const char32_t c : text) {
    const auto found = std::ranges::lower_bound(kUpperCases, c, {}, &UpperCase::character);
    if (found != kUpperCases.end() && found->character == c) {
      out += found->upper;
    } else {
      out.push_back(static_cast<char32_t>(utf8proc_toupper(code_point(c))));
    }
  }
  return out;
}

bool is_upper(char32_t c) { return utf8proc_category(code_point(c)) == UTF8PROC_CATEGORY_LU; }

bool is_digit(char32_t c) { return utf8proc_category(code_point(c)) == UTF8PROC_CATEGORY_ND; }

SentenceMark sentence_mark_of(char32_t c) {
  if (contains(kFullStops, c)) return SentenceMark::kFullStop;
  if (contains(kTerminators, c)) return SentenceMark::kTerminator;
  if (contains(kOpeningMarks, c)) return SentenceMark::kOpening;
  if (contains(kClosingMarks, c)) return SentenceMark::kClosing;
  return contains(kSentenceSpaces, c) ? SentenceMark::kSpace : SentenceMark::kNone;
}

bool is_chinese_or_japanese(char32_t c) { return contains(kChineseAndJapanese, c); }

}  // namespace weft
