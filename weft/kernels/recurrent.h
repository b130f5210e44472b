// Recurrent cells and additive attention.
#ifndef WEFT_KERNELS_RECURRENT_H_
#define WEFT_KERNELS_RECURRENT_H_

#include <span>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// Recurrent cells. G is the number of gates.
enum class CellKind {
  kTanh,  // h' = tanh(x + h) (Elman 1990), G = 1
  kRelu,  // h' = max(0, x + h), G = 1
  kGru,   // Cho et al. 2014 (arXiv 1406.1078), r applied after the product, as in PyTorch; G = 3:
          // r, z, n
  kLstm,  // Hochreiter and Schmidhuber 1997, with forget gates (Gers et al. 2000), G = 4: i, f, g,
          // o
};

// One step of a cell with D units. Its inputs are the projected input x = W x + b and the projected
// previous output h = U h + c, both [n, G*D]. With s the sigmoid:
//   gru   r = s(x_r + h_r), z = s(x_z + h_z), n = tanh(x_n + r * h_n), h' = (1 - z) * n + z * h
//   lstm  c' = s(x_f + h_f) * c + s(x_i + h_i) * tanh(x_g + h_g), h' = s(x_o + h_o) * tanh(c')
// A state is the output [n, D]; for an LSTM the output and the cell memory, [n, 2*D]. next may be
// state.
struct Cell {
  CellKind kind = CellKind::kTanh;
  View x, h, state, next = {};

  int64_t units() const { return kind == CellKind::kLstm ? state.cols / 2 : state.cols; }  // D
  static constexpr std::string_view kName = "cell";
  Cost cost() const { return {0, bytes_of({x, h, state, next})}; }
};

// Gradients of Cell, all overwritten. d_state excludes the path through h. d_h may be d_x except
// for a GRU.
struct CellBackward {
  Cell forward;
  View d_next = {}, d_x = {}, d_h = {}, d_state = {};
  static constexpr std::string_view kName = "d_cell";
  Cost cost() const { return {0, bytes_of({d_next, forward.x, d_x, d_state})}; }
};

// Additive attention (Bahdanau et al. 2015, arXiv 1409.0473): row w of q [W, A] attends to the rows
// rows[offsets[w]..offsets[w + 1]) of keys [M, A] and values [M, C] (BF16 or the type of q); if
// `rows` is empty, to the rows offsets[w]..offsets[w + 1] - 1. The scores are v . tanh(q + key), v
// [1, A]. weights [1, offsets[W]] receives their softmax (F32, or F64 when q is F64), and out [W,
// C] the weighted sum of values.
struct AdditiveAttention {
  View q, keys, v, values;
  std::span<const int32_t> rows;
  std::span<const int32_t> offsets;  // [W + 1]
  View out = {}, weights = {};
  static constexpr std::string_view kName = "additive_attention";
  Cost cost() const {
    return {2 * static_cast<double>(offsets.back()) * static_cast<double>(q.cols + out.cols),
            bytes_of({q, out})};
  }
};

// Gradients of AdditiveAttention with empty `rows`. d_q and the attended rows of d_keys and
// d_values are overwritten. d_v [W, A], of the type of weights, receives the contribution of each
// row.
struct AdditiveAttentionBackward {
  AdditiveAttention forward;
  View d_out = {}, d_q = {}, d_keys = {}, d_values = {}, d_v = {};
  static constexpr std::string_view kName = "d_additive_attention";
  Cost cost() const { return {3 * forward.cost().flop, bytes_of({d_q, d_keys, d_values})}; }
};

namespace ref {
void run(const Cell&), run(const CellBackward&), run(const AdditiveAttention&),
    run(const AdditiveAttentionBackward&);
}
namespace cpu {
void run(const Cell&), run(const CellBackward&), run(const AdditiveAttention&),
    run(const AdditiveAttentionBackward&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_RECURRENT_H_
