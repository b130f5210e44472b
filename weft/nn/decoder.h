// A decoder of any kind, from embeddings to the states that the output layer reads.
#ifndef WEFT_NN_DECODER_H_
#define WEFT_NN_DECODER_H_

#include <variant>

#include "weft/nn/recurrent/decoder.h"
#include "weft/nn/transformer/stack.h"

namespace weft::nn {

struct Decoder {
  std::variant<Stack, RecurrentDecoder> kind;

  // Gives the cache the memory of the sentences that entered it last.
  void remember(const Memory& memory, KvCache& cache) const;
  // The layers of a cache for it.
  int64_t cache_layers() const;
  // The layers that attend to the memory, numbered from 0 in their keys; see attention/observer.h.
  int64_t cross_attentions() const;
  // The states of x [N, D]; with a cache, of one step.
  Tensor operator()(const Tensor& x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    const Memory& memory, const Context& context) const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_DECODER_H_
