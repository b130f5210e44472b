// Unicode case mapping and character properties, by utf8proc and tables of Unicode 15.0.
#ifndef WEFT_CORE_TEXT_UNICODE_H_
#define WEFT_CORE_TEXT_UNICODE_H_

#include <string>
#include <string_view>

namespace weft {

// Full Unicode lower-casing, including final sigma, in the root locale. Lone surrogates are kept.
std::u32string to_lower(std::u32string_view text);
std::u32string to_upper(std::u32string_view text);  // full upper-casing, likewise

bool is_upper(char32_t c);
bool is_digit(char32_t c);  // a decimal digit of any script

// The role of a character at the end of a sentence (UAX #29, Sentence_Break; Quotation_Mark).
enum class SentenceMark {
  kNone,
  kFullStop,    // ends a sentence or occurs inside words and numbers
  kTerminator,  // ends a sentence
  kOpening,     // a quote or bracket that opens
  kClosing,     // a quote or bracket that closes or may close (straight quotes)
  kSpace,
};
SentenceMark sentence_mark_of(char32_t c);

// Whether the character belongs to the Chinese or Japanese script, which have no spaces between
// words or sentences, or is full-width punctuation.
bool is_chinese_or_japanese(char32_t c);

}  // namespace weft

#endif  // WEFT_CORE_TEXT_UNICODE_H_
