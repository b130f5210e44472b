#include "weft/nn/recurrent/cell.h"

#include "weft/ops/slice.h"

namespace weft::nn {

RecurrentCell::RecurrentCell(ops::CellKind cell, int64_t in, int64_t out)
    : kind(cell),
      units(out),
      weight_ih({ops::gates_of(cell) * out, in}, Init::kGlorot),
      weight_hh({ops::gates_of(cell) * out, out}, Init::kGlorot),
      bias_ih({1, ops::gates_of(cell) * out}, Init::kZeros),
      bias_hh({1, ops::gates_of(cell) * out}, Init::kZeros) {}

Tensor RecurrentCell::gates(const Tensor& x, autograd::Tape* tape) const {
  return linear(x, {&weight_ih}, {&bias_ih}, ops::Activation::kNone, tape);
}

Tensor RecurrentCell::hidden_gates(const Tensor& output, autograd::Tape* tape) const {
  return linear(output, {&weight_hh}, {&bias_hh}, ops::Activation::kNone, tape);
}

Tensor RecurrentCell::step(const Tensor& gates, const Tensor& state, autograd::Tape* tape) const {
  return ops::cell(kind, gates, hidden_gates(outputs(state, tape), tape), state, tape);
}

Tensor RecurrentCell::all_steps(const Tensor& gates, const PackedSequence& order,
                                const Tensor& initial, autograd::Tape* tape) const {
  const ops::Unrolled steps{kind, order.steps, initial};
  if (!weight_hh.packed) return ops::recurrence(gates, {weight_hh, bias_hh}, steps, tape);
  return ops::unroll(
      gates, [&](const Tensor& output) { return hidden_gates(output, tape); }, steps, tape);
}

Tensor RecurrentCell::outputs(const Tensor& states, autograd::Tape* tape) const {
  if (states.cols() == units) return states;
  const Tensor view = ops::slice_cols(states, 0, units, tape);
  // A product of rows with a stride may have other bits at another row count.
  return tape == nullptr ? view.clone() : view;
}

}  // namespace weft::nn
