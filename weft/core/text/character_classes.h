// Classes of characters by one look-up, as Hugging Face's tokenizers distinguish them.
#ifndef WEFT_CORE_TEXT_CHARACTER_CLASSES_H_
#define WEFT_CORE_TEXT_CHARACTER_CLASSES_H_

#include <array>
#include <cstdint>
#include <vector>

namespace weft {

enum CharacterClass : uint16_t {
  kLetterClass = 1,        // \p{L}
  kNumberClass = 2,        // \p{N}
  kMarkClass = 4,          // \p{M}
  kSpaceClass = 8,         // \s: the property White_Space
  kNumericClass = 16,      // what the pre-tokeniser Digits splits
  kPunctuationClass = 32,  // what BERT's pre-tokeniser and Punctuation split
  kNonspacingClass = 64,   // what BERT removes with accents
  kControlClass = 128,     // what BERT removes from unclean text
  kCombiningClass = 256,   // what StripAccents removes
};

class CharacterClasses {
 public:
  static const CharacterClasses& instance();

  // The classes of a character, joined by |.
  uint16_t operator[](char32_t c) const {
    return c < kCharacters ? blocks_[block_of_[c / kBlock]][c % kBlock] : uint16_t{0};
  }

 private:
  static constexpr uint32_t kCharacters = 0x110000, kBlock = 256;
  using Block = std::array<uint16_t, kBlock>;

  CharacterClasses();

  std::array<uint16_t, kCharacters / kBlock> block_of_ = {};
  std::vector<Block> blocks_;  // equal ones once
};

}  // namespace weft

#endif  // WEFT_CORE_TEXT_CHARACTER_CLASSES_H_
