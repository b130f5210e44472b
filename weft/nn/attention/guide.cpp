#include "weft/nn/attention/guide.h"

#include "weft/ops/add.h"
#include "weft/ops/convert.h"
#include "weft/ops/scale.h"
#include "weft/ops/score_weights.h"
#include "weft/ops/softmax.h"
#include "weft/ops/sum.h"

namespace weft::nn {

void AttentionGuide::see(const Tensor& q, const Tensor& k, const ops::AttentionRule& rule,
                         autograd::Tape* tape) {
  const int64_t here = layer++;
  for (const AttentionHead& chosen : heads) {
    if (chosen.layer != here) continue;
    for (int64_t b = 0; b < std::ssize(aims); ++b) {
      if (aims[b].shape().size() == 0) continue;
      const DType type = sum_type(q.dtype());
      const Tensor scores =
          ops::convert(ops::attention_scores(q, k, rule, {b, chosen.head}, tape), type, tape);
      const Tensor weights = is_penalty ? ops::score_weights(scores, rule.function, tape)
                                        : ops::log_softmax(scores, tape);
      const Tensor part = ops::sum(ops::multiply(weights, aims[b].to(type), tape), tape);
      const Tensor share = ops::scale(part, is_penalty ? weight : -weight, tape);
      loss = loss ? ops::add(loss, share, tape) : share;
    }
  }
}

}  // namespace weft::nn
