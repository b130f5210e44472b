// Guided attention: training draws the probabilities of chosen heads to what is known of them.
#ifndef WEFT_NN_ATTENTION_GUIDE_H_
#define WEFT_NN_ATTENTION_GUIDE_H_

#include <vector>

#include "weft/nn/attention/observer.h"

namespace weft::nn {

// A head of the decoder's attention to the source, both counted from 0, pruned heads not.
struct AttentionHead {
  int64_t layer = 0;
  int64_t head = 0;
  bool operator==(const AttentionHead&) const = default;
};

// A loss on one pass over a batch, whose layers are not recomputed. With the probabilities w [T, S]
// of a head and the aim a of their sequence,
//   loss = weight * sum over heads, sequences and elements of a * w where the aim is a penalty
//   (Tachibana et al. 2018, arXiv 1710.08969, who take the mean over elements), else of -a * log w,
//   the cross-entropy between the rows of a and softmax (Garg et al. 2019, arXiv 1909.02074).
struct AttentionGuide final : AttentionObserver {
  std::vector<AttentionHead> heads;
  std::vector<Tensor> aims;  // [T, S] of each sequence, F32; one without elements is skipped
  bool is_penalty = false;
  double weight = 1;
  Tensor loss;  // [1, 1] after the pass, unless every aim was skipped

  bool wants(const AttentionKey& key) const override;
  void see(const AttentionKey& key, const ObservedAttention& attention,
           autograd::Tape* tape) override;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_GUIDE_H_
