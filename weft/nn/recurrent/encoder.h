// A stack of recurrent cells over source sentences.
#ifndef WEFT_NN_RECURRENT_ENCODER_H_
#define WEFT_NN_RECURRENT_ENCODER_H_

#include <vector>

#include "weft/nn/context.h"
#include "weft/nn/memory.h"
#include "weft/nn/recurrent/cell.h"

namespace weft::nn {

struct RecurrentEncoderOptions {
  ops::CellKind cell = ops::CellKind::kLstm;
  int64_t features = 512;  // D, of the input and of each cell
  int64_t depth = 1;       // layers
  bool bidirectional =
      false;           // the first layer reads both ways, the others forwards (Wu et al. 2016)
  double dropout = 0;  // between layers (Zaremba et al. 2014, arXiv 1409.2329)
};

// Cells read each sentence forwards, in the first layer also backwards where that is wanted; the
// two then stand beside each other (Bahdanau et al. 2015, section 3.2).
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
  double dropout = 0;

  RecurrentEncoder() = default;
  explicit RecurrentEncoder(const RecurrentEncoderOptions& options);

  int64_t width() const;      // of the states
  int64_t last_size() const;  // of the last layer's state behind a sentence's end

  // States [M, D or 2*D], and what each layer's state is behind the end; of a layer that reads both
  // ways, the outputs of both. Throws ShapeError for a sentence without tokens.
  Memory operator()(Tensor x, const ops::RowsPtr& rows, Context& context) const;
  template <class V>
  void fields(V& v) {
    v("layers", layers);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_ENCODER_H_
