// A stack of recurrent cells over source sequences.
#ifndef WEFT_NN_RECURRENT_ENCODER_H_
#define WEFT_NN_RECURRENT_ENCODER_H_

#include <vector>

#include "weft/nn/context.h"
#include "weft/nn/memory.h"
#include "weft/nn/recurrent/cell.h"

namespace weft::nn {

struct RecurrentEncoderOptions {
  ops::CellKind cell = ops::CellKind::kLstm;
  int64_t features = 512;      // D, of the input and of each cell
  int64_t depth = 1;           // layers
  bool bidirectional = false;  // the first layer; the others run forwards (Wu et al. 2016)
  double dropout = 0;          // between layers (Zaremba et al. 2014, arXiv 1409.2329)
};

// Cells run over each sequence forwards, a bidirectional first layer also backwards, whose outputs
// are concatenated (Bahdanau et al. 2015, section 3.2).
struct RecurrentEncoder {
  struct Layer {
    RecurrentCell forward, backward;

    bool reads_both_ways() const { return backward.weight_hh.is_present(); }
    template <class V>
    void fields(V& v) {
      forward.fields(v);
      v("backward", backward);
    }
  };
  std::vector<Layer> layers;
  Dropout dropout;  // one between each two layers

  RecurrentEncoder() = default;
  RecurrentEncoder(const RecurrentEncoderOptions& options, RngStreams& streams);

  int64_t width() const;      // of the states
  int64_t last_size() const;  // of the last layer's initial decoder state

  // States [M, D or 2*D], and as initial decoder state each layer's state after the last token; of
  // a bidirectional layer, the outputs of both directions. Throws ShapeError for a sequence without
  // tokens.
  Memory operator()(Tensor x, const ops::LayoutPtr& rows, const Context& context) const;
  template <class V>
  void fields(V& v) {
    v("layers", layers);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_ENCODER_H_
