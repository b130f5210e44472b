// Additive attention of one row a sequence.
#ifndef WEFT_OPS_FUSED_ADDITIVE_ATTENTION_H_
#define WEFT_OPS_FUSED_ADDITIVE_ATTENTION_H_

#include "weft/autograd/tape.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;

// What q [W, A] attends to: row w to the rows of segment w.
struct AdditiveKeys {
  const Tensor& keys;                        // [M, A]
  const Tensor& values;                      // [M, C]
  const Tensor& v;                           // [1, A]
  std::shared_ptr<const Segments> segments;  // W of M rows
  Tensor* weights = nullptr;                 // receives the weights [1, M] where not null
};

// out = softmax over what is seen of v . tanh(q + key), times the values (Bahdanau et al. 2015,
// arXiv 1409.0473); [W, C]. Throws ShapeError where q, keys, values, v and segments do not fit
// together.
Tensor additive_attention(const Tensor& q, const AdditiveKeys& seen, Tape* tape);
Tensor additive_attention_composite(const Tensor& q, const AdditiveKeys& seen, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_ADDITIVE_ATTENTION_H_
