// Output projections taken a chunk of rows at a time, so that logits [N, V] are never whole in
// memory: what the fused losses share.
#ifndef WEFT_OPS_FUSED_CHUNKED_PROJECTION_H_
#define WEFT_OPS_FUSED_CHUNKED_PROJECTION_H_

#include <algorithm>

#include "weft/autograd/tape.h"
#include "weft/ops/fused/linear.h"

namespace weft::ops {

// Logits of a chunk, or their gradient, and the same with the columns that fill them up.
struct Logits {
  Tensor filled;     // [n, V'], V' >= V
  Tensor chunk;      // [n, V], a view
  Tensor over_caps;  // [n, V'], what a soft cap takes the tanh of; empty without one
};

// All logits at once, the composite twin: soft_cap(x W^T + b), [N, V].
Tensor project_composite(const Tensor& x, const OutputLayer& layer, Tape* tape);

// The number of rows of a chunk of logits [n, V]: 512, or fewer so that it has at most 2^25
// elements; a multiple of 64, at least 64.
int64_t chunk_rows(int64_t vocabulary);

class ChunkedProjection {
 public:
  // Throws ShapeError, naming `where`, unless weight [V, D] and bias [1, V] fit x [N, D].
  ChunkedProjection(std::string_view where, const Tensor& x, const OutputLayer& layer);

  // Calls body(begin, end) on chunks of `rows` rows.
  template <class Body>
  void for_chunks(int64_t rows, Body body) const {
    const int64_t step = chunk_rows(shape_.rows());
    for (int64_t begin = 0; begin < rows; begin += step) {
      body(begin, std::min(begin + step, rows));
    }
  }

  // Allocates the gradients of this many rows, zeros where there are none: d_weight and d_bias
  // of what is followed.
  void want_gradients(int64_t rows);

  // soft_cap(x W^T + b) for rows x [n, D].
  Logits logits(const Tensor& x) const;
  // Zeros for the gradient of a chunk.
  Logits zeros_like(const Logits& logits) const;
  // Overwrites d_x [n, D] with the gradient that d_logits sends to x, and adds to d_weight and
  // d_bias where these are wanted. Under a soft cap d_logits is overwritten.
  void back(const Logits& d_logits, const Tensor& x, const Tensor& d_x);
  // Records a loss of x and w whose gradients were all taken by back().
  void record(autograd::Tape* tape, Tensor& loss, const Tensor& x, const OutputLayer& w,
              const Tensor& d_x) const;

  Tensor d_weight;  // [V, D], or empty
  Tensor d_bias;    // [1, V], or empty

 private:
  Tensor weight_, bias_;  // [V', D], [1, V']
  Shape shape_;           // of the weight that was given
  double soft_cap_;
  bool weight_requires_grad_, bias_requires_grad_;
  bool is_fresh_ = true;  // nothing was added to d_weight yet
};

// Adds to input i of a loss the gradient that was taken while its logits existed, times the loss's
// own gradient.
void accumulate(autograd::Backward& b, int i, const Tensor& gradient);
// The same for one that nobody else keeps and that has the input's type: it may become the input's.
void move_gradient(autograd::Backward& b, int i, const Tensor& gradient);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_CHUNKED_PROJECTION_H_
