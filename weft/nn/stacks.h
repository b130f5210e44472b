// What stands between the embeddings and the output layer of an encoder-decoder, of any kind.
#ifndef WEFT_NN_STACKS_H_
#define WEFT_NN_STACKS_H_

#include <variant>

#include "weft/nn/convolution.h"
#include "weft/nn/recurrent/decoder.h"
#include "weft/nn/recurrent/encoder.h"
#include "weft/nn/transformer/layers.h"

namespace weft::nn {

struct SourceStack {
  std::variant<Encoder, RecurrentEncoder, ConvolutionalEncoder> kind;

  // `position` is for attention among the rows, where there is any.
  Memory operator()(const Tensor& x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    Context& context) const {
    return std::visit(
        [&](const auto& k) {
          if constexpr (requires { k(x, rows, position, context); }) {
            return k(x, rows, position, context);
          } else {
            return k(x, rows, context);
          }
        },
        kind);
  }
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

struct TargetStack {
  std::variant<Decoder, RecurrentDecoder> kind;

  // Gives the cache the memory of the sentences that entered it last.
  void remember(const Memory& memory, KvCache& cache) const {
    std::visit([&](const auto& k) { k.remember(memory, cache); }, kind);
  }
  // The layers of a cache for it.
  int64_t cache_layers() const {
    return std::visit([](const auto& k) { return k.cache_layers(); }, kind);
  }
  Tensor operator()(const Tensor& x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    const Memory& memory, Context& context) const {
    return std::visit(
        [&](const auto& k) {
          if constexpr (requires { k(x, rows, position, memory, context); }) {
            return k(x, rows, position, memory, context);
          } else {
            return k(x, rows, memory, context);
          }
        },
        kind);
  }
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_STACKS_H_
