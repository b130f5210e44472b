// SentencePiece subwords (Kudo and Richardson 2018): load, encode, decode, train.
#ifndef WEFT_DATA_TEXT_SENTENCEPIECE_H_
#define WEFT_DATA_TEXT_SENTENCEPIECE_H_

#include <string>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::data {

// From the bytes of a `.model` file; throws FormatError, naming `where`, when they are no model or
// the model has no end symbol.
TokeniserPtr load_sentencepiece(std::string_view bytes, std::string_view where);

struct SentencePieceSpec {
  int64_t size = 8000;           // tokens, special symbols included: an upper bound
  std::string type = "unigram";  // or "bpe"
  std::string options = {};      // more of the trainer's own: "--character_coverage=1.0 ..."
  std::vector<std::string> symbols = {};  // tokens besides those that are learned
};

// The bytes of a `.model` file trained on `lines`: a pure function of its arguments. Throws
// OptionError, naming `where`, when the trainer refuses the spec for these lines, FormatError when
// they are all blank.
std::string train_sentencepiece(const std::vector<std::string>& lines,
                                const SentencePieceSpec& spec, std::string_view where);

}  // namespace weft::data

#endif  // WEFT_DATA_TEXT_SENTENCEPIECE_H_
