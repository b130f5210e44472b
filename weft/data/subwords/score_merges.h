// Merges of BPE for SentencePiece models of that kind, which merge by the scores of tokens.
#ifndef WEFT_DATA_SUBWORDS_SCORE_MERGES_H_
#define WEFT_DATA_SUBWORDS_SCORE_MERGES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "weft/data/subwords/tokenizer_document.h"

namespace weft::data {

using Merges = std::vector<std::pair<int32_t, int32_t>>;

// SentencePiece merges to the token of the best score: every way to cut a token in two is a merge,
// the higher its score the earlier.
Merges merges_by_score(const std::vector<ModelToken>& tokens);

// Scores by which the merges are these; nullopt: none.
std::optional<std::vector<double>> scores_of_merges(const TokenizerDocument& document);

}  // namespace weft::data

#endif  // WEFT_DATA_SUBWORDS_SCORE_MERGES_H_
