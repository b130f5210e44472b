// Decoding by models that predict all positions of a sentence at once.
#ifndef WEFT_DECODE_SEARCH_NON_AUTOREGRESSIVE_H_
#define WEFT_DECODE_SEARCH_NON_AUTOREGRESSIVE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/decode/search/hypothesis.h"

namespace weft::data {
struct Tokens;
}
namespace weft::models {
struct Seq2Seq;
}

namespace weft::decode {

struct DecodeOptions;

// The number of tokens, of `length`, that round `round` of `rounds` (from 0) masks and predicts
// again, the least probable ones: length (rounds - round) / rounds, the linear schedule of
// Ghazvininejad et al. 2019.
int64_t masked_in_round(int64_t length, int64_t round, int64_t rounds);

// The labels of a row of classes: repeats merged, then blanks removed (Graves et al. 2006).
std::vector<int32_t> collapse(std::span<const int32_t> classes, int32_t blank);

// One translation for each of `sources`, which end with their end symbols, without `forbidden`
// tokens; it does not depend on the others. Its log-probability is the sum over its tokens, each
// given the input of its round, and over its length or end symbol where that is predicted; its
// score is their mean.
//   mask-predict  the best of --length-beam lengths after --iterations rounds;
//   parallel      one round, over --length-beam lengths or up to the first end symbol;
//   ctc           the most probable class of each position, collapsed; a token's log-probability is
//                 that of its first position.
// A source whose scores are not finite has a hypothesis that says so.
std::vector<Hypothesis> decode_non_autoregressive(const models::Seq2Seq& model,
                                                  const data::Tokens& sources,
                                                  const DecodeOptions& options,
                                                  std::span<const int32_t> forbidden);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_NON_AUTOREGRESSIVE_H_
