// How a recurrent decoder looks at the source.
#ifndef WEFT_NN_RECURRENT_ATTENTION_H_
#define WEFT_NN_RECURRENT_ATTENTION_H_

#include "weft/nn/attention/kv_cache.h"
#include "weft/nn/context.h"
#include "weft/nn/memory.h"
#include "weft/nn/recurrent/cell.h"

namespace weft::nn {

// A memory whose sentences stand in time order, so that those that still have a step come first.
struct SortedMemory {
  Tensor states;  // [M, C]
  Segments segments;

  SortedMemory(const Memory& memory, const TimeOrder& order, autograd::Tape* tape);
};

// Scores v . tanh(W s + U key), s being the state before the step, by one hidden layer (Bahdanau et
// al. 2015, arXiv 1409.0473); the context is part of the cell's input in that step.
struct BahdanauAttention {
  Linear query;     // [A, D]
  Linear key;       // [A, C]
  Parameter score;  // v, [1, A]
  Linear input;     // [G*D, C], what a context makes of the cell's gates

  BahdanauAttention() = default;
  BahdanauAttention(const RecurrentCell& cell, int64_t memory_width);

  // What a cell meets on its way through sentences in time order.
  struct Way {
    const RecurrentCell& cell;
    const Tensor& gates;  // [N, G*D]
    const TimeOrder& order;
    const Tensor& initial;  // [B, S]
    const Memory& memory;
    ops::AttentionTrace* trace = nullptr;  // filled where not null: one [T, S] for each sentence
  };
  struct Steps {
    Tensor states;    // [N, S]
    Tensor contexts;  // [N, C]
  };
  Steps all_steps(const Way& way, autograd::Tape* tape) const;
  // One step by a cache that remembers the memory in its last layer and the state in its first.
  Steps step(const RecurrentCell& cell, const Tensor& gates, KvCache& cache) const;
  void remember(const Memory& memory, KvCache& cache) const;

  template <class V>
  void fields(V& v) {
    v("query", query);
    v("key", key);
    v("score", score);
    v("input", input);
  }
};

// Scores s W state, the "general" ones, from the decoder's top output s (Luong et al. 2015, arXiv
// 1508.04025). With input feeding what was read of output and context is part of the first cell's
// input at the next step; without, all steps attend at once.
struct LuongAttention {
  Linear query;  // [C, D]
  Linear feed;   // [G*D, D], what was read makes of the first cell's gates; absent without feeding

  LuongAttention() = default;
  LuongAttention(const RecurrentCell& cell, int64_t memory_width, bool feeds_input);

  bool feeds() const { return feed.weight.is_present(); }
  // The contexts [N, C] of packed outputs [N, D].
  Tensor contexts(const Tensor& outputs, const ops::RowsPtr& rows, const Memory& memory,
                  Context& context) const;
  // The same of the outputs [n, D] of one step: of the first n sentences of the memory.
  Tensor contexts(const Tensor& outputs, const SortedMemory& memory, autograd::Tape* tape) const;
  Tensor step(const Tensor& outputs, KvCache& cache) const;
  void remember(const Memory& memory, KvCache& cache) const;

  template <class V>
  void fields(V& v) {
    v("query", query);
    v("feed", feed);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_ATTENTION_H_
