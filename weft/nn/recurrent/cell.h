// A recurrent cell with its weights.
#ifndef WEFT_NN_RECURRENT_CELL_H_
#define WEFT_NN_RECURRENT_CELL_H_

#include "weft/nn/linear.h"
#include "weft/nn/recurrent/packed_sequence.h"

namespace weft::nn {

// tanh or relu (Elman 1990), gru (Cho et al. 2014, arXiv 1406.1078) or lstm (Hochreiter and
// Schmidhuber 1997), with the gates, biases and their order of PyTorch.
struct RecurrentCell {
  ops::CellKind kind = ops::CellKind::kTanh;
  int64_t units = 0;               // D
  Parameter weight_ih, weight_hh;  // [G*D, D_in], [G*D, D]
  Parameter bias_ih, bias_hh;      // [1, G*D]

  RecurrentCell() = default;
  RecurrentCell(ops::CellKind cell, int64_t in, int64_t out);

  int64_t state_size() const { return ops::state_size_of(kind, units); }  // S
  // The part of the gates that comes from x [n, D_in], [n, G*D].
  Tensor gates(const Tensor& x, autograd::Tape* tape) const;
  // One step from state [n, S], of which the first columns are the output.
  Tensor step(const Tensor& gates, const Tensor& state, autograd::Tape* tape) const;
  // All steps of a PackedSequence: states [N, S] from `initial` [B, S], or from zeros.
  Tensor all_steps(const Tensor& gates, const PackedSequence& order, const Tensor& initial,
                   autograd::Tape* tape) const;
  // The outputs [n, D] of states.
  Tensor outputs(const Tensor& states, autograd::Tape* tape) const;

  template <class V>
  void fields(V& v) {
    v("weight_ih", weight_ih);
    v("weight_hh", weight_hh);
    v("bias_ih", bias_ih);
    v("bias_hh", bias_hh);
  }

 private:
  Tensor hidden_gates(const Tensor& output, autograd::Tape* tape) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_RECURRENT_CELL_H_
