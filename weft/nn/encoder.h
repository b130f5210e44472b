// An encoder of any kind, from embeddings to states.
#ifndef WEFT_NN_ENCODER_H_
#define WEFT_NN_ENCODER_H_

#include <variant>

#include "weft/nn/convolution.h"
#include "weft/nn/recurrent/encoder.h"
#include "weft/nn/transformer/stack.h"

namespace weft::nn {

struct Encoder {
  std::variant<Stack, RecurrentEncoder, ConvolutionalEncoder> kind;

  // The states of x [N, D]. `position` is for self-attention, where there is any.
  Memory operator()(Tensor x, const ops::LayoutPtr& rows, const AttentionPosition& position,
                    const Context& context) const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ENCODER_H_
