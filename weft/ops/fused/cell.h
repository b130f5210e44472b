// Recurrent cells: one step, and all steps of a batch of sequences.
#ifndef WEFT_OPS_FUSED_CELL_H_
#define WEFT_OPS_FUSED_CELL_H_

#include <functional>

#include "weft/kernels/recurrent.h"
#include "weft/ops/fused/linear.h"
#include "weft/ops/layout.h"

namespace weft::ops {

using autograd::Tape;
using kernels::CellKind;

int64_t gates_of(CellKind kind);                      // G
int64_t state_size_of(CellKind kind, int64_t units);  // D, of an LSTM 2*D

// The state after one step; x and h [n, G*D] are what input and last output make of the gates, with
// their biases, and state is [n, D], of an LSTM output and memory [n, 2*D]. kernels/recurrent.h has
// the equations. Throws ShapeError where x is not of whole gates, and where h or state does not fit
// it.
Tensor cell(CellKind kind, const Tensor& x, const Tensor& h, const Tensor& state, Tape* tape);
Tensor cell_composite(CellKind kind, const Tensor& x, const Tensor& h, const Tensor& state,
                      Tape* tape);

// Sequences sorted by length, the longest first, whose rows stand step by step: step t has the rows
// begins[t] to begins[t + 1], one for each sequence that has more than t tokens, in that order.
using Steps = std::shared_ptr<const std::vector<int32_t>>;

struct Unrolled {
  CellKind kind = CellKind::kTanh;
  Steps steps;
  Tensor initial = {};  // [sequences, D or 2*D]; empty: zeros
};

// The states [N, D or 2*D] of all steps; x [N, G*D] is as above, and h = weight output + bias with
// the output before, weight [G*D, D] and bias [1, G*D]. One product for a step, and one for the
// gradient of the weights. Throws ShapeError where weight, bias, steps or initial do not fit x, and
// for a step that has no rows, or more than the one before it (the first: than initial).
Tensor recurrence(const Tensor& x, const LinearWeights& hidden, const Unrolled& params, Tape* tape);
Tensor recurrence_composite(const Tensor& x, const LinearWeights& hidden, const Unrolled& params,
                            Tape* tape);

// The same with any h = hidden(output).
using HiddenGates = std::function<Tensor(const Tensor&)>;
Tensor unroll(const Tensor& x, const HiddenGates& hidden, const Unrolled& params, Tape* tape);

}  // namespace weft::ops

#endif  // WEFT_OPS_FUSED_CELL_H_
