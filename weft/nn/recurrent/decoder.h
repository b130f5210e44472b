// A stack of recurrent cells over target sentences, with and without attention to the source.
#ifndef WEFT_NN_RECURRENT_DECODER_H_
#define WEFT_NN_RECURRENT_DECODER_H_

#include <variant>
#include <vector>

#include "weft/nn/recurrent/attention.h"

namespace weft::nn {

// Each layer starts from the encoder's state of the same layer, or of its last one (Sutskever et
// al. 2014, arXiv 1409.3215).
struct CopiedStart {
  Tensor state(const Memory& memory, size_t layer, const RecurrentCell& cell,
               autograd::Tape* tape) const;  // [B, S]
  template <class V>
  void fields(V&) {}
};

// Outputs start from tanh(W x + b) with x the state of the encoder's last layer (Bahdanau et al.
// 2015, A.2.2, use its backward part), the cell states of LSTMs from 0.
struct BridgedStart {
  std::vector<Linear> layers;  // [D, size of x]

  Tensor state(const Memory& memory, size_t layer, const RecurrentCell& cell,
               autograd::Tape* tape) const;  // [B, S]
  template <class V>
  void fields(V& v) {
    v("start", layers);
  }
};

struct NoAttention {
  void remember(const Memory&, KvCache&) const {}
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
  std::variant<CopiedStart, BridgedStart> start;
  std::variant<NoAttention, BahdanauAttention, LuongAttention> attention;
  Linear readout;   // absent without attention
  Dropout dropout;  // one between each two layers, then one on the output

  RecurrentDecoder() = default;
  RecurrentDecoder(const RecurrentDecoderOptions& options, DropoutSites& sites);

  // The layers of a cache for it: one for each cell, and one for what is fed back.
  int64_t cache_layers() const { return std::ssize(layers) + (feeds() ? 1 : 0); }
  int64_t cross_attentions() const { return has_attention() ? 1 : 0; }
  bool has_attention() const { return !std::holds_alternative<NoAttention>(attention); }
  // Gives the cache the memory of the sentences that entered it last.
  void remember(const Memory& memory, KvCache& cache) const;
  Tensor operator()(const Tensor& x, const ops::RowsPtr& rows, const Memory& memory,
                    const Context& context) const;  // [N, D]
  template <class V>
  void fields(V& v) {
    v("layers", layers);
    std::visit([&](auto& s) { s.fields(v); }, start);
    std::visit([&](auto& a) { v("attention", a); }, attention);
    v("readout", readout);
  }

 private:
  Tensor start_of(size_t layer, const Memory& memory, autograd::Tape* tape) const;
  bool feeds() const;
  Tensor step(const Tensor& x, const Context& context) const;
  Tensor read(const Tensor& output, const Tensor& beside, autograd::Tape* tape) const;
  Tensor all_fed_steps(const Tensor& x, const ops::RowsPtr& rows, const Memory& memory,
                       const Context& context) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_DECODER_H_
