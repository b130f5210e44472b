// A source line as tokens, split into pieces that a model has the capacity for.
#ifndef WEFT_PREDICT_TRANSLATION_SOURCE_PIECES_H_
#define WEFT_PREDICT_TRANSLATION_SOURCE_PIECES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/data/text/tokeniser.h"

namespace weft::predict {

struct SourcePieces {
  std::vector<std::vector<int32_t>> pieces;  // without end symbols; none of them empty
  bool is_cropped = false;                   // a single sentence was too long and lost its end
};

// `text` in one piece if it has at most `most` tokens (>= 1), else split at sentence ends
// (data::sentence_ends) into pieces of as many sentences as fit.
SourcePieces cut_source(const data::Tokeniser& tokeniser, std::string_view text, int64_t most);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_SOURCE_PIECES_H_
