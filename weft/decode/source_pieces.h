// A source line as tokens, in as many pieces as it takes for a model to hold each.
#ifndef WEFT_DECODE_SOURCE_PIECES_H_
#define WEFT_DECODE_SOURCE_PIECES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/data/tokeniser.h"

namespace weft::decode {

struct SourcePieces {
  std::vector<std::vector<int32_t>> pieces;  // without end symbols; none of them empty
  bool is_cropped = false;                   // a sentence was too long by itself: its end is lost
};

// `text` in one piece where it has at most `most` tokens (>= 1), else cut at sentence ends
// (data::sentence_ends) into pieces of as many sentences as fit.
SourcePieces cut_source(const data::Tokeniser& tokeniser, std::string_view text, int64_t most);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SOURCE_PIECES_H_
