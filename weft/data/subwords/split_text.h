// Text cut into pieces for the model of a tokeniser, and added tokens between them.
#ifndef WEFT_DATA_SUBWORDS_SPLIT_TEXT_H_
#define WEFT_DATA_SUBWORDS_SPLIT_TEXT_H_

#include <functional>
#include <string_view>
#include <vector>

#include "weft/data/subwords/aligned_text.h"
#include "weft/data/subwords/pattern.h"

namespace weft::data {

// A part of the text: for the model, or an added token.
struct Piece {
  ByteRange range;
  int32_t added = -1;  // the id of the added token

  bool is_text() const { return added < 0; }
};

struct SplitText {
  AlignedText text;
  std::vector<Piece> pieces;  // in order

  std::string_view piece(const Piece& piece) const {
    return std::string_view(text.text())
        .substr(piece.range.begin, piece.range.end - piece.range.begin);
  }
};

// What becomes of the matches of a pattern.
enum class SplitBehaviour {
  kRemoved,
  kIsolated,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous,  // one piece of adjacent matches
};

SplitBehaviour read_split_behaviour(JsonNode& node, std::string_view name);

// Cuts every piece of text. `invert` swaps matches and what lies between.
void split(SplitText& text, const Pattern& pattern, SplitBehaviour behaviour, bool invert = false);

// Replaces the text of every piece by what `make` returns for it.
void rewrite(SplitText& text, const std::function<AlignedText(AlignedText piece)>& make);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_SPLIT_TEXT_H_
