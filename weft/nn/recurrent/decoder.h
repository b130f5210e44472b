// A stack of recurrent cells over target sequences, with and without attention to the source.
#ifndef WEFT_NN_RECURRENT_DECODER_H_
#define WEFT_NN_RECURRENT_DECODER_H_

#include <variant>
#include <vector>

#include "weft/nn/recurrent/attention.h"

namespace weft::nn {

// Each layer starts from the encoder's state of the same layer, or of its last one (Sutskever et
// al. 2014, arXiv 1409.3215).
struct CopiedInitialState {
  Tensor state(const Memory& memory, size_t layer, const RecurrentCell& cell,
               autograd::Tape* tape) const;  // [B, S]
  template <class V>
  void fields(V&) {}
};

// Outputs start from tanh(W x + b) with x the state of the encoder's last layer (Bahdanau et al.
// 2015, A.2.2, use its backward part), the cell states of LSTMs from 0.
struct Bridge {
  std::vector<Linear> layers;  // [D, size of x]

  Tensor state(const Memory& memory, size_t layer, const RecurrentCell& cell,
               autograd::Tape* tape) const;  // [B, S]
  template <class V>
  void fields(V& v) {
    v("start", layers);
  }
};

struct NoAttention {
  void prefill_cross(const Memory&, KvCache&) const {}
  template <class V>
  void fields(V&) {}
};

enum class SourceAttention { kNone, kBahdanau, kLuong };

struct RecurrentDecoderOptions {
  ops::CellKind cell = ops::CellKind::kLstm;
  int64_t features = 512;  // D, of the input and of each cell
  int64_t depth = 1;
  int64_t memory_width = 0;  // C
  int64_t last_size = 0;     // of the last layer's initial decoder state
  bool copies_start = false;
  bool feeds_input = false;  // with kLuong
  SourceAttention attention = SourceAttention::kNone;
  double dropout = 0;  // between layers and on the output
};

// With no attention the states are the top cell's outputs; with it tanh(W [output; context]) (Luong
// et al. 2015), with additive attention tanh(W [output; context; input]): a deep output (Pascanu et
// al. 2014).
struct RecurrentDecoder {
  std::vector<RecurrentCell> layers;
  std::variant<CopiedInitialState, Bridge> start;
  std::variant<NoAttention, BahdanauAttention, LuongAttention> attention;
  Linear readout;   // absent without attention
  Dropout dropout;  // one between each two layers, then one on the output

  RecurrentDecoder() = default;
  RecurrentDecoder(const RecurrentDecoderOptions& options, RngStreams& streams);

  // The layers of a cache for it: one for each cell, and one for what is fed back.
  std::vector<kernels::AttentionPattern> cache_layers() const {
    return std::vector<kernels::AttentionPattern>(layers.size() + (feeds() ? 1 : 0));
  }
  int64_t cross_attentions() const { return has_attention() ? 1 : 0; }
  bool has_attention() const { return !std::holds_alternative<NoAttention>(attention); }
  // Gives the cache the memory of the sequences that were added last.
  void prefill_cross(const Memory& memory, KvCache& cache) const;
  // The states of x [N, D].
  Tensor forward(const Tensor& x, const ops::LayoutPtr& rows, const Memory& memory,
                 const Context& context) const;
  // The states of the rows of prompts, one row of each prompt at a time, or of a step, in the
  // cache's present pass.
  Tensor prefill(const Tensor& x, KvCache& cache, const Context& context) const;
  Tensor step(const Tensor& x, KvCache& cache, const Context& context) const;
  template <class V>
  void fields(V& v) {
    v("layers", layers);
    std::visit([&](auto& s) { s.fields(v); }, start);
    std::visit([&](auto& a) { v("attention", a); }, attention);
    v("readout", readout);
  }

 private:
  Tensor initial_state(size_t layer, const Memory& memory, autograd::Tape* tape) const;
  bool feeds() const;
  // The states that a cache keeps: of each layer, and what is fed back.
  std::vector<Tensor> continue_states(KvCache& cache, DType dtype) const;
  // The rows x [n, D] of one step; `states` become those after it.
  Tensor run_step(const Tensor& x, std::vector<Tensor>& states, const CachedMemory& memory,
                  const Context& context) const;
  Tensor read(const Tensor& output, const Tensor& beside, autograd::Tape* tape) const;
  Tensor input_feeding_loop(const Tensor& x, const ops::LayoutPtr& rows, const Memory& memory,
                            const Context& context) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_DECODER_H_
