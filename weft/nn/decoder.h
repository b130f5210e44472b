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
  void remember(const Memory& memory, KvCache& cache) const {
    std::visit([&](const auto& k) { k.remember(memory, cache); }, kind);
  }
  // The layers of a cache for it.
  int64_t cache_layers() const {
    return std::visit([](const auto& k) { return k.cache_layers(); }, kind);
  }
  // The layers that attend to the memory, numbered from 0 in their keys; see attention/observer.h.
  int64_t cross_attentions() const {
    return std::visit([](const auto& k) { return k.cross_attentions(); }, kind);
  }
  // The states of x [N, D]; with a cache, of one step.
  Tensor operator()(const Tensor& x, const ops::RowsPtr& rows, const AttentionPosition& position,
                    const Memory& memory, const Context& context) const {
    return std::visit(
        [&]<class Kind>(const Kind& k) {
          if constexpr (std::is_same_v<Kind, Stack>) {
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

#endif  // WEFT_NN_DECODER_H_
