// The words of a text as its tokens have them.
#ifndef WEFT_INSPECT_TEXT_WORDS_H_
#define WEFT_INSPECT_TEXT_WORDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/models/text_encoder.h"

namespace weft::inspect {

// The axes of an example.
enum TextAxis : size_t { kTokens, kWords };

struct TextWords {
  std::vector<std::string> words;
  std::vector<int32_t> word_of;  // [N] of each token; -1 for a special symbol

  // The sums of numbers of tokens [N] by word.
  std::vector<float> by_word(std::span<const double> tokens) const;
  // The tokens, and with them their words, without word i.
  std::vector<int32_t> without(std::span<const int32_t> ids, size_t word) const;
};

// The words of a text whose tokens were not made word by word: with subwords a word begins at a
// piece that begins with a space, else each token is one.
TextWords words_of(const data::Tokeniser& tokeniser, std::span<const int32_t> ids);
// Of a text that was encoded by word.
TextWords words_of(const data::EncodedText& text, std::span<const std::string_view> words);

// The encoder's input x [N, D] with zero in place of what words have beside their positions;
// special symbols stay as they are.
Tensor without_words(const models::TextEncoder& encoder, const Tensor& x, const ops::RowsPtr& rows,
                     const TextWords& words);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_TEXT_WORDS_H_
