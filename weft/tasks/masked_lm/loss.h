// The losses of masked language models, in training and in validation.
#ifndef WEFT_TASKS_MASKED_LM_LOSS_H_
#define WEFT_TASKS_MASKED_LM_LOSS_H_

#include <cstdint>

#include "weft/data/sequences/line_sequences.h"
#include "weft/models/masked_lm/masked_lm.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/tasks/masked_lm/masking.h"

namespace weft::tasks {

struct MaskedLossParams {
  double smoothing = 0;
  double weight = 1;  // of each token that is predicted
};

// The sum over the tokens that are predicted, each times its weight. The output layer runs on their
// rows alone.
ops::Loss masked_loss(const models::MaskedLm& model, const MaskedBatch& batch,
                      const MaskedLossParams& params, const nn::Context& context);

struct MaskedScores {
  double nll = 0;       // nats, of all tokens that are predicted
  int64_t tokens = 0;   // these
  int64_t correct = 0;  // of them, where the model gives the highest probability to the right token
};

// Of lines with masks that depend on nothing but the number of the line. Counts what is correct
// only if asked to. Throws NumericError for a loss that is not a finite number.
MaskedScores masked_scores(const models::MaskedLm& model, const data::LineSequences& lines,
                           const Masking& masking, bool counts_correct);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_MASKED_LM_LOSS_H_
