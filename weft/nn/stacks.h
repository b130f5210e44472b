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
    if (const auto* transformer = std::get_if<Encoder>(&kind)) {
      return {(*transformer)(x, rows, position, context), rows};
    }
    if (const auto* recurrent = std::get_if<RecurrentEncoder>(&kind)) {
      return (*recurrent)(x, rows, context);
    }
    return std::get<ConvolutionalEncoder>(kind)(x, rows, context);
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
    if (const auto* transformer = std::get_if<Decoder>(&kind)) {
      return transformer->remember(memory.states, cache);
    }
    std::get<RecurrentDecoder>(kind).remember(memory, cache);
  }
  // The layers of a cache for it.
  int64_t cache_layers() const {
    if (const auto* transformer = std::get_if<Decoder>(&kind)) {
      return std::ssize(transformer->order);
    }
    return std::get<RecurrentDecoder>(kind).cache_layers();
  }
  Tensor operator()(const Tensor& x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    const Memory& memory, Context& context) const {
    if (const auto* transformer = std::get_if<Decoder>(&kind)) {
      return (*transformer)(x, rows, position, memory, context);
    }
    return std::get<RecurrentDecoder>(kind)(x, rows, memory, context);
  }
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_STACKS_H_
