// Decoding by models that predict all positions of a sentence at once.
#ifndef WEFT_DECODE_NON_AUTOREGRESSIVE_H_
#define WEFT_DECODE_NON_AUTOREGRESSIVE_H_

#include "weft/data/batch.h"
#include "weft/decode/hypothesis.h"
#include "weft/decode/options.h"
#include "weft/models/seq2seq.h"

namespace weft::decode {

// How many of `length` tokens, the least probable, round `round` of `rounds` predicts again, from 0
// on, when all are: the linear schedule length (rounds - round) / rounds (Ghazvininejad et al.
// 2019).
int64_t masked_in_round(int64_t length, int64_t round, int64_t rounds);

// The labels that a row of classes spells: repeats as one, without blanks (Graves et al. 2006).
std::vector<int32_t> collapse(std::span<const int32_t> classes, int32_t blank);

// One translation for each of `sources` that holds none of the `forbidden` tokens; each source ends
// with its end symbol, and its translation does not depend on the others. Its log-probability is
// the sum over its tokens', each given what its round saw, and where it is predicted over its
// length's or its end symbol's; its score is their mean:
//   mask-predict  the best of --length-beam lengths after --iterations rounds;
//   parallel      one round, over --length-beam lengths or up to the first end symbol;
//   ctc           the most probable class of each position, collapsed; a token's log-probability is
//                 that of its first position.
// Throws NumericError when the model's scores are not finite.
std::vector<Hypothesis> decode_non_autoregressive(const models::Seq2Seq& model,
                                                  const data::Tokens& sources,
                                                  const DecodeOptions& options,
                                                  std::span<const int32_t> forbidden);

}  // namespace weft::decode

#endif  // WEFT_DECODE_NON_AUTOREGRESSIVE_H_
