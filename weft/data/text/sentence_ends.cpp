#include "weft/data/text/sentence_ends.h"

#include <algorithm>

#include "weft/core/text/unicode.h"
#include "weft/core/text/utf8.h"

namespace weft::data {
namespace {

// The ellipsis, which Unicode takes for no end of a sentence, and those of Khmer and Tibetan.
constexpr std::u32string_view kMoreOpenMarks = U"\u2026", kMorePlainMarks = U"\u17D4\u0F0D";

bool is_in(std::u32string_view set, char32_t c) { return set.find(c) != set.npos; }

// Marks that also stand inside words, numbers and addresses, so that white space has to follow.
bool is_open_mark(char32_t c) {
  return c == U'!' || c == U'?' || is_in(kMoreOpenMarks, c) ||
         sentence_mark_of(c) == SentenceMark::kFullStop;
}

// Marks that stand for the end of a sentence and nothing else.
bool is_plain_mark(char32_t c) {
  return is_in(kMorePlainMarks, c) ||
         (!is_open_mark(c) && sentence_mark_of(c) == SentenceMark::kTerminator);
}

bool is_closing(char32_t c) { return sentence_mark_of(c) == SentenceMark::kClosing; }
bool is_space(char32_t c) { return sentence_mark_of(c) == SentenceMark::kSpace; }

// What may stand before an abbreviation: "a J. Smith", "J.-P.", "(J. Smith", "d'A. Smith".
bool is_before_abbreviation(char32_t c) {
  const SentenceMark mark = sentence_mark_of(c);
  return c == U'-' || mark == SentenceMark::kFullStop || mark == SentenceMark::kSpace ||
         mark == SentenceMark::kOpening || mark == SentenceMark::kClosing;
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

// Whether the full stop at `index` may belong to an abbreviation or an ordinal number.
bool is_abbreviating(const std::vector<CodePoint>& text, size_t index) {
  if (index == 0 || sentence_mark_of(text[index].value) != SentenceMark::kFullStop) return false;
  size_t begin = index - 1;  // of the letter or the number
  if (is_digit(text[begin].value)) {
    while (begin > 0 && is_digit(text[begin - 1].value)) --begin;
  } else if (!is_upper(text[begin].value)) {
    return false;
  }
  return begin == 0 || is_before_abbreviation(text[begin - 1].value);
}

}  // namespace

std::vector<size_t> sentence_ends(std::string_view line) {
  const std::vector<CodePoint> text = code_points(line);
  std::vector<size_t> ends;
  for (size_t i = 0; i < text.size();) {
    const size_t first = i;
    bool is_plain = false;
    for (; i < text.size(); ++i) {
      if (is_plain_mark(text[i].value)) {
        is_plain = true;
      } else if (!is_open_mark(text[i].value)) {
        break;
      }
    }
    const size_t marks = i - first;
    if (marks == 0) {
      ++i;
      continue;
    }
    while (i < text.size() && is_closing(text[i].value)) ++i;
    const size_t spaces = i;
    while (i < text.size() && is_space(text[i].value)) ++i;
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
