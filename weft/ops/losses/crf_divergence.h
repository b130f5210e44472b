// What a conditional random field learns from another one, over whole labellings (Wang et al. 2020,
// arXiv 2004.03846).
#ifndef WEFT_OPS_LOSSES_CRF_DIVERGENCE_H_
#define WEFT_OPS_LOSSES_CRF_DIVERGENCE_H_

#include "weft/ops/losses/crf.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::ops {

// The scores of a random field.
struct CrfField {
  const Tensor& emissions;  // [N, C]
  CrfWeights weights;
};

struct CrfDivergenceParams {
  AllowedTagsPtr allowed = {};  // of both
  double temperature = 1;       // T, above 0, that all scores are divided by
  double weight = 1;            // of each sequence
};

// loss [1, 1] = weight * T^2 * the sum over sequences of KL(teacher, student), where both are
// distributions over allowed labellings; the teacher has no gradient. The loss's `total` is the sum
// without `weight`. A sequence without an allowed labelling counts as 0. Throws ShapeError as crf()
// does, and where teacher and student have different shapes, and OptionError unless the temperature
// is above 0.
Loss crf_divergence(const CrfField& student, const CrfField& teacher, const LayoutPtr& rows,
                    const CrfDivergenceParams& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_LOSSES_CRF_DIVERGENCE_H_
