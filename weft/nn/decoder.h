// A decoder of any kind, from embeddings to the states that the output layer reads.
#ifndef WEFT_NN_DECODER_H_
#define WEFT_NN_DECODER_H_

#include <variant>

#include "weft/nn/recurrent/decoder.h"
#include "weft/nn/transformer/stack.h"

namespace weft::nn {

struct Decoder {
  std::variant<Stack, RecurrentDecoder> kind;

  // Gives the cache the memory of the sequences that were added last.
  void prefill_cross(const Memory& memory, KvCache& cache) const;
  // The layers of a cache for it, see KvCache.
  std::vector<ops::AttentionPattern> cache_layers() const;
  // Whether decoding keeps a state of fixed size, in a layer at least, in place of keys and values.
  bool keeps_state() const;
  // The layers that attend to the memory, numbered from 0 in their keys; see attention/observer.h.
  int64_t cross_attentions() const;
  // The states of x [N, D].
  Tensor forward(Tensor x, const StackRows& rows, const Memory& memory,
                 const Context& context) const;
  // The same with cross-attention to the memory in a cache. Throws Error for a recurrent decoder.
  Tensor forward(Tensor x, const StackRows& rows, const KvCache& memory,
                 const Context& context) const;
  // The states of the rows of prompts, or of a step, in the cache's present pass.
  Tensor prefill(Tensor x, const StackRows& rows, KvCache& cache, const Context& context) const;
  Tensor step(Tensor x, const StackRows& rows, KvCache& cache, const Context& context) const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_DECODER_H_
