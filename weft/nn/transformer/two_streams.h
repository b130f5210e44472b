// Two stacks of Transformer blocks that exchange their states (the decoder of DUSt3R, Wang et al.
// 2024, arXiv 2312.14132, and of MASt3R, Leroy et al. 2024, arXiv 2406.09756).
#ifndef WEFT_NN_TRANSFORMER_TWO_STREAMS_H_
#define WEFT_NN_TRANSFORMER_TWO_STREAMS_H_

#include "weft/nn/transformer/stack.h"

namespace weft::nn {

// Block i of each stack attends to what the other stack had before its block i:
//   x1[i + 1] = block1[i](x1[i], x2[i]),  x2[i + 1] = block2[i](x2[i], x1[i]).
struct TwoStreams {
  Stack first, second;  // of one depth, with cross-attention

  // The states of both inputs, each with the norm at its stack's end. The inputs are those of a
  // decoder: x [N, D] with its rows and the rotary positions of the keys made of them.
  std::pair<Tensor, Tensor> operator()(const Memory& first_input, const Memory& second_input,
                                       const Context& context) const;

  template <class V>
  void fields(V& v) {
    v("first", first);
    v("second", second);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_TRANSFORMER_TWO_STREAMS_H_
