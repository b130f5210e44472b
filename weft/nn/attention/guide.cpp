#include "weft/nn/attention/guide.h"

#include <algorithm>

#include "weft/ops/add.h"
#include "weft/ops/scale.h"
#include "weft/ops/sum.h"

namespace weft::nn {

bool AttentionGuide::wants(const AttentionKey& key) const {
  return key.stack == "decoder" && key.role == AttentionRole::kCross &&
         std::ranges::any_of(heads, [&](const AttentionHead& h) { return h.layer == key.layer; });
}

void AttentionGuide::see(const AttentionKey& key, const ObservedAttention& attention,
                         autograd::Tape* tape) {
  for (const AttentionHead& chosen : heads) {
    if (chosen.layer != key.layer) continue;
    for (int64_t b = 0; b < std::ssize(aims); ++b) {
      if (aims[b].shape().size() == 0) continue;
      const ops::SequenceHead matrix{b, chosen.head};
      const Tensor w = is_penalty ? attention.probabilities(matrix, tape)
                                  : attention.log_probabilities(matrix, tape);
      const Tensor part = ops::sum(ops::multiply(w, aims[b].to(w.dtype()), tape), tape);
      const Tensor share = ops::scale(part, is_penalty ? weight : -weight, tape);
      loss = loss ? ops::add(loss, share, tape) : share;
    }
  }
}

}  // namespace weft::nn
