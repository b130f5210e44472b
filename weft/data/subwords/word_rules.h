// The rules by which the common byte-level tokenisers split text into words, as own code: as their
// regular expressions do, and several times as fast.
#ifndef WEFT_DATA_SUBWORDS_WORD_RULES_H_
#define WEFT_DATA_SUBWORDS_WORD_RULES_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace weft::data {

class WordRule {
 public:
  virtual ~WordRule() = default;
  // The end of the word that begins at byte `i` of well-formed UTF-8. Every character is in a word.
  virtual size_t end_of_word(std::string_view text, size_t i) const = 0;
};

// GPT-2's, which the pre-tokeniser ByteLevel has.
extern const std::string_view kGpt2Pattern;

// The patterns that are own code: those of GPT-2, GPT-4 and Llama 3, Qwen 2, Qwen 3.5.
std::span<const std::string_view> word_rule_patterns();

// The rule with exactly this regular expression, or null.
const WordRule* word_rule(std::string_view pattern);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_WORD_RULES_H_
