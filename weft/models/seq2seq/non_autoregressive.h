// The losses of models that predict all positions of a sequence at once.
#ifndef WEFT_MODELS_SEQ2SEQ_NON_AUTOREGRESSIVE_H_
#define WEFT_MODELS_SEQ2SEQ_NON_AUTOREGRESSIVE_H_

#include "weft/models/seq2seq/seq2seq.h"
#include "weft/ops/losses/labels.h"

namespace weft::models {

struct NonAutoregressiveParams {
  ops::CrossEntropy token = {};  // its weights are of the target's rows
  double length_weight = 1;      // of a sequence's length, beside `token.weight`
};

// The loss [1, 1] of a batch of pairs, with T tokens in a target beside its end symbol:
//   mask-predict  sum over masked tokens of 2 T / (T + 1) times their cross-entropy: in the mean of
//                 draws every token counts once; where the context is not one of training all are
//                 masked and count 1 each;
//   parallel      the cross-entropy of all tokens;
//   ctc           -log p of the target over all alignments; blank is the end symbol, and a target
//                 too long for its positions counts as 0;
// and where lengths are predicted, their cross-entropy, differences beyond C counted as C. `nll` is
// of tokens and lengths, -log p(target | source) without the factors above.
ops::Loss non_autoregressive_loss(const Seq2Seq& model, const data::Batch& batch,
                                  const NonAutoregressiveParams& params,
                                  const nn::Context& context);

}  // namespace weft::models

#endif  // WEFT_MODELS_SEQ2SEQ_NON_AUTOREGRESSIVE_H_
