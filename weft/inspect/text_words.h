// Maps the tokens of a text to its words.
#ifndef WEFT_INSPECT_TEXT_WORDS_H_
#define WEFT_INSPECT_TEXT_WORDS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/data/labels/labelled_corpus.h"
#include "weft/models/token_embedding.h"

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

// Finds the words of a text that was not encoded word by word. With a vocabulary of words, each
// token is one of `words`, the words of the text. With a tokeniser of another system, the words are
// those of `words` that have tokens. With other subwords and with characters, a word begins at each
// piece that begins with a space, and is spelled by its pieces.
TextWords words_of(const data::Tokeniser& tokeniser, std::span<const int32_t> ids,
                   std::span<const std::string_view> words);
// Of a text that was encoded by word.
TextWords words_of(const data::EncodedText& text, std::span<const std::string_view> words);

// The input x [N, D] of a stack with the embeddings of words replaced by `blank` [D], or zeros
// where it is empty; positions and special symbols are kept.
Tensor without_words(const models::TokenEmbedding& embedding, const Tensor& x,
                     const ops::LayoutPtr& rows, const TextWords& words,
                     std::span<const float> blank = {});

// Calls run(begin, end) for ranges of the words that are left out, so that the texts without them,
// each of about `tokens` tokens, make batches of bounded memory.
void for_each_left_out(int64_t words, int64_t tokens,
                       const std::function<void(int64_t begin, int64_t end)>& run);

}  // namespace weft::inspect

#endif  // WEFT_INSPECT_TEXT_WORDS_H_
