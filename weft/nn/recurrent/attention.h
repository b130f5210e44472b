// How a recurrent decoder attends to the source.
#ifndef WEFT_NN_RECURRENT_ATTENTION_H_
#define WEFT_NN_RECURRENT_ATTENTION_H_

#include "weft/nn/attention/observed.h"
#include "weft/nn/memory.h"
#include "weft/nn/recurrent/cell.h"

namespace weft::nn {

// The one attention of a recurrent decoder.
inline constexpr AttentionKey kSourceAttention{"decoder", 0, AttentionRole::kCross};

// A memory in the order of a PackedSequence: sequences that still have a step come first.
struct SortedMemory {
  Tensor states;  // [M, C]
  Segments segments;

  SortedMemory(const Memory& memory, const PackedSequence& order, autograd::Tape* tape);
};

// The rows of a cached memory that each of some rows attends to.
struct CachedMemory {
  const KvRows& kept;
  const RowLists& attended;

  // The last layer of a recurrent decoder's cache has it.
  static const KvRows& kept_in(const KvCache& cache) {
    return cache.layer(cache.layers() - 1).memory;
  }
};

// Scores v . tanh(W s + U key), s being the state before the step, by one hidden layer (Bahdanau et
// al. 2015, arXiv 1409.0473); the context is part of the cell's input in that step.
struct BahdanauAttention {
  Linear query;     // [A, D]
  Linear key;       // [A, C]
  Parameter score;  // v, [1, A]
  Linear input;     // [G*D, C], from a context to the cell's gates

  BahdanauAttention() = default;
  BahdanauAttention(const RecurrentCell& cell, int64_t memory_width);

  // A cell and its inputs, in the order of a PackedSequence.
  struct Input {
    const RecurrentCell& cell;
    const Tensor& gates;  // [N, G*D]
    const PackedSequence& order;
    const Tensor& initial;  // [B, S]
    const Memory& memory;
  };
  struct Steps {
    Tensor states;    // [N, S]
    Tensor contexts;  // [N, C]
  };
  Steps all_steps(const Input& in, const Context& context) const;
  // One step of cached rows, from the states [n, S] before it: the states and contexts after it.
  struct StepInput {
    const RecurrentCell& cell;
    const Tensor& gates;  // [n, G*D]
    const Tensor& before;
    const CachedMemory& memory;
  };
  Steps step(const StepInput& in, const Context& context) const;
  void prefill_cross(const Memory& memory, KvCache& cache) const;

  template <class V>
  void fields(V& v) {
    v("query", query);
    v("key", key);
    v("score", score);
    v("input", input);
  }
};

// Scores s W state, the "general" ones, from the decoder's top output s (Luong et al. 2015, arXiv
// 1508.04025). With input feeding the readout of output and context is part of the first cell's
// input at the next step; without, all steps attend at once.
struct LuongAttention {
  Linear query;  // [C, D]
  Linear feed;   // [G*D, D], from the readout to the first cell's gates; absent without feeding

  LuongAttention() = default;
  LuongAttention(const RecurrentCell& cell, int64_t memory_width, bool feeds_input);

  bool feeds() const { return feed.weight.is_present(); }
  // The contexts [N, C] of packed outputs [N, D].
  Tensor contexts(const Tensor& outputs, const ops::LayoutPtr& rows, const Memory& memory,
                  const Context& context) const;
  // Shows the observer what these outputs attend to, without their contexts.
  void observe(const Tensor& outputs, const ops::LayoutPtr& rows, const Memory& memory,
               const Context& context) const;
  // The contexts of the outputs [n, D] of one step, over the first n sequences of the memory.
  Tensor contexts(const Tensor& outputs, const SortedMemory& memory, autograd::Tape* tape) const;
  // Those of cached rows.
  Tensor contexts(const Tensor& outputs, const CachedMemory& memory, const Context& context) const;
  void prefill_cross(const Memory& memory, KvCache& cache) const;

  template <class V>
  void fields(V& v) {
    v("query", query);
    v("feed", feed);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_ATTENTION_H_
