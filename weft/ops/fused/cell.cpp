#include "weft/ops/fused/cell.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/gemm.h"
#include "weft/kernels/recurrent.h"
#include "weft/kernels/reduce.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops {

using autograd::Backward;
using autograd::record;

int64_t gates_of(CellKind kind) {
  if (kind == CellKind::kLstm) return 4;
  return kind == CellKind::kGru ? 3 : 1;
}

int64_t state_size_of(CellKind kind, int64_t units) {
  return kind == CellKind::kLstm ? 2 * units : units;
}

namespace {

int64_t units_of(CellKind kind, const Tensor& x) { return x.cols() / gates_of(kind); }

void check_gates(const char* op, CellKind kind, const Tensor& x) {
  if (x.cols() % gates_of(kind) == 0) return;
  fail<ShapeError>(op, "expected {} gates of one size, got x {}", gates_of(kind), x.shape().text());
}

void check_cell(CellKind kind, const Tensor& x, const Tensor& h, const Tensor& state) {
  check_gates("cell", kind, x);
  check_shape("cell", "h", h, x.rows(), x.cols());
  check_shape("cell", "state", state, x.rows(), state_size_of(kind, units_of(kind, x)));
}

}  // namespace

Tensor cell_composite(CellKind kind, const Tensor& x, const Tensor& h, const Tensor& state,
                      Tape* tape) {
  const int64_t units = units_of(kind, x);
  const auto gate = [&](const Tensor& gates, int64_t k) {
    return slice_cols(gates, k * units, (k + 1) * units, tape);
  };
  const auto squash = [&](Activation function, const Tensor& z) {
    return activate(function, z, tape);
  };
  if (kind == CellKind::kGru) {
    const Tensor both = squash(Activation::kSigmoid, add(slice_cols(x, 0, 2 * units, tape),
                                                         slice_cols(h, 0, 2 * units, tape), tape));
    const Tensor r = gate(both, 0), z = gate(both, 1);
    const Tensor n =
        squash(Activation::kTanh, add(gate(x, 2), multiply(r, gate(h, 2), tape), tape));
    return add(n, multiply(z, add(state, scale(n, -1, tape), tape), tape), tape);
  }
  const Tensor sum = add(x, h, tape);
  if (kind == CellKind::kTanh) return squash(Activation::kTanh, sum);
  if (kind == CellKind::kRelu) return squash(Activation::kRelu, sum);
  const Tensor i = squash(Activation::kSigmoid, gate(sum, 0));
  const Tensor f = squash(Activation::kSigmoid, gate(sum, 1));
  const Tensor g = squash(Activation::kTanh, gate(sum, 2));
  const Tensor o = squash(Activation::kSigmoid, gate(sum, 3));
  const Tensor c = add(multiply(f, gate(state, 1), tape), multiply(i, g, tape), tape);
  return concat_cols(multiply(o, squash(Activation::kTanh, c), tape), c, tape);
}

Tensor cell(CellKind kind, const Tensor& x, const Tensor& h, const Tensor& state, Tape* tape) {
  check_cell(kind, x, h, state);
  if (!fused_enabled()) return cell_composite(kind, x, h, state, tape);
  Tensor next = Tensor::empty(state.shape(), x.dtype());
  backend_of(x)(kernels::Cell{.kind = kind, .x = x, .h = h, .state = state, .next = next});
  record(tape, next, {&x, &h, &state}, [kind, x, h, state](Backward& b) {
    const Tensor d_next = b.d_output();
    const Tensor d_x = Tensor::empty(x.shape(), x.dtype());
    const Tensor d_h = kind == CellKind::kGru ? Tensor::empty(x.shape(), x.dtype()) : d_x;
    const Tensor d_state = Tensor::empty(state.shape(), x.dtype());
    backend_of(x)(kernels::CellBackward{.forward = {.kind = kind, .x = x, .h = h, .state = state},
                                        .d_next = d_next,
                                        .d_x = d_x,
                                        .d_h = d_h,
                                        .d_state = d_state});
    b.add(0, d_x);
    b.add(1, d_h);
    b.add(2, d_state);
  });
  return next;
}

namespace {

// The rows of one step, and what stands behind them as slack.
struct StepRows {
  int64_t begin, count;

  kernels::View of(const Tensor& x) const {
    const kernels::View all = x;
    return {all.at(begin, 0), all.dtype, count, all.cols, all.stride, all.row_capacity - begin};
  }
};

// A batch on its way through its steps.
struct Walk {
  CellKind kind;
  Steps steps;
  Tensor x, h;     // [N, G*D]
  Tensor states;   // [N, S]
  Tensor from;     // [N, D], the output that each step starts from
  Tensor initial;  // [B, S]
  int64_t units;

  int64_t length() const { return std::ssize(*steps) - 1; }
  StepRows at(int64_t t) const { return {(*steps)[t], (*steps)[t + 1] - (*steps)[t]}; }
  // The state that each row of step t starts from.
  kernels::View before(int64_t t) const {
    if (t == 0) return StepRows{0, at(0).count}.of(initial);
    return StepRows{at(t - 1).begin, at(t).count}.of(states);
  }
  kernels::Cell step(int64_t t) const {
    return {kind, at(t).of(x), at(t).of(h), before(t), at(t).of(states)};
  }
};

kernels::View outputs(kernels::View states, int64_t units) {
  states.cols = units;
  return states;
}

void check_walk(const Walk& w, const LinearWeights& hidden) {
  const int64_t state = state_size_of(w.kind, w.units);
  check_gates("recurrence", w.kind, w.x);
  check_shape("recurrence", "weight", hidden.weight, w.x.cols(), w.units);
  check_shape("recurrence", "bias", hidden.bias, 1, w.x.cols());
  check_shape("recurrence", "x", w.x, w.steps->back(), -1);
  check_shape("recurrence", "initial", w.initial, -1, state);
  for (int64_t t = 0; t < w.length(); ++t) {
    const int64_t most = t == 0 ? w.initial.rows() : w.at(t - 1).count;
    if (w.at(t).count < 1 || w.at(t).count > most) {
      fail<ShapeError>("recurrence", "step {} has {} rows; expected 1 to {}", t, w.at(t).count,
                       most);
    }
  }
}

Walk make_walk(const Tensor& x, const Unrolled& params) {
  Walk w{params.kind, params.steps, x, {}, {}, {}, params.initial, units_of(params.kind, x)};
  const int64_t most = w.length() == 0 ? 0 : w.at(0).count;
  if (!w.initial) {
    w.initial = Tensor::zeros({most, state_size_of(w.kind, w.units)}, x.dtype());
  }
  return w;
}

void walk_back(Backward& b, const Walk& w, const Tensor& weight) {
  const auto& backend = backend_of(w.x);
  const Tensor d_states = b.d_output();
  const Tensor d_x = Tensor::empty(w.x.shape(), w.x.dtype());
  const Tensor d_h = w.kind == CellKind::kGru ? Tensor::empty(w.x.shape(), w.x.dtype()) : d_x;
  // What later steps give the states they started from; those that end here get nothing.
  const Tensor carry = Tensor::zeros(w.initial.shape(), w.x.dtype());
  const Tensor above = Tensor::empty(w.initial.shape(), w.x.dtype());
  int64_t known = 0;
  for (int64_t t = w.length() - 1; t >= 0; --t) {
    const StepRows rows = w.at(t), first{0, rows.count};
    backend(kernels::Fill{.y = StepRows{known, rows.count - known}.of(carry), .value = 0});
    known = rows.count;
    backend(kernels::Add{.x = rows.of(d_states), .z = first.of(carry), .y = first.of(above)});
    backend(kernels::CellBackward{.forward = w.step(t),
                                  .d_next = first.of(above),
                                  .d_x = rows.of(d_x),
                                  .d_h = rows.of(d_h),
                                  .d_state = first.of(carry)});
    backend(kernels::Gemm{
        .a = rows.of(d_h), .b = weight, .c = outputs(first.of(carry), w.units), .beta = 1});
  }
  backend(kernels::Fill{.y = carry.row_range(known, carry.rows()), .value = 0});
  b.accumulate(2,
               [&](const Tensor& d_bias) { backend(kernels::ColumnSum{.x = d_h, .y = d_bias}); });
  b.product(1, [&](const Tensor& d_weight, float beta) {
    backend(kernels::Gemm{.a = d_h, .b = w.from, .c = d_weight, .transpose_a = true, .beta = beta});
  });
  b.add(0, d_x);
  b.add(3, carry);
}

}  // namespace

Tensor unroll(const Tensor& x, const HiddenGates& hidden, const Unrolled& params, Tape* tape) {
  const Walk w = make_walk(x, params);
  Tensor state = w.initial;
  std::vector<Tensor> states;
  for (int64_t t = 0; t < w.length(); ++t) {
    const auto [begin, count] = w.at(t);
    const Tensor before = slice_rows(state, 0, count, tape);
    const Tensor view = slice_cols(before, 0, w.units, tape);
    // Dense, since a product of rows with a stride may have other bits at another row count.
    const Tensor h = hidden(tape == nullptr ? view.clone() : view);  // [n, G*D]
    state = cell(w.kind, slice_rows(x, begin, begin + count, tape), h, before, tape);
    states.push_back(state);
  }
  return states.empty() ? w.initial : stack_rows(states, tape);
}

Tensor recurrence_composite(const Tensor& x, const LinearWeights& hidden, const Unrolled& params,
                            Tape* tape) {
  return unroll(
      x, [&](const Tensor& h) { return linear(h, hidden, Activation::kNone, tape); }, params, tape);
}

Tensor recurrence(const Tensor& x, const LinearWeights& hidden, const Unrolled& params,
                  Tape* tape) {
  Walk w = make_walk(x, params);
  check_walk(w, hidden);
  if (!fused_enabled()) return recurrence_composite(x, hidden, params, tape);
  w.h = Tensor::empty(x.shape(), x.dtype());
  w.states = Tensor::empty({x.rows(), w.initial.cols()}, x.dtype());  // [N, S]
  w.from = Tensor::empty({x.rows(), w.units}, x.dtype());             // [N, D]
  for (int64_t t = 0; t < w.length(); ++t) {
    const kernels::Cell step = w.step(t);
    const kernels::View from = w.at(t).of(w.from);
    // Dense, since a product of rows with a stride may have other bits at another row count.
    backend_of(x)(kernels::Copy{.x = outputs(step.state, w.units), .y = from});
    backend_of(x)(kernels::Gemm{
        .a = from, .b = hidden.weight, .c = step.h, .transpose_b = true, .bias = hidden.bias});
    backend_of(x)(step);
  }
  Tensor states = w.states;
  record(tape, states, {&x, &hidden.weight, &hidden.bias, &params.initial},
         [w, weight = hidden.weight](Backward& b) { walk_back(b, w, weight); });
  return states;
}

}  // namespace weft::ops
