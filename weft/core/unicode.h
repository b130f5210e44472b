// What Unicode says of characters and of case (by ICU, which no other file knows).
#ifndef WEFT_CORE_UNICODE_H_
#define WEFT_CORE_UNICODE_H_

#include <string>
#include <string_view>

namespace weft {

// Lower case of every letter by the full mappings, a final sigma included, without the rules of any
// language. Surrogates by themselves stay.
std::u32string to_lower(std::u32string_view text);

bool is_upper(char32_t c);
bool is_digit(char32_t c);  // a decimal digit of any script

// What a character is at the end of a sentence (UAX #29, Sentence_Break; Quotation_Mark).
enum class SentenceMark {
  kNone,
  kFullStop,    // ends a sentence or stands inside of words and numbers
  kTerminator,  // ends a sentence
  kOpening,     // a quote or bracket that opens
  kClosing,     // a quote or bracket that closes or may close (straight quotes)
  kSpace,
};
SentenceMark sentence_mark_of(char32_t c);

// Of a script that puts no spaces between words or sentences, Chinese or Japanese, or punctuation
// of its width.
bool is_chinese_or_japanese(char32_t c);

}  // namespace weft

#endif  // WEFT_CORE_UNICODE_H_
