#include "weft/nn/recurrent/encoder.h"

#include "weft/ops/dropout.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

struct Read {
  Tensor outputs;  // [N, D], packed
  Tensor last;     // [B, S]
};

Read read(const RecurrentCell& cell, const Tensor& x, const PackedSequence& order,
          autograd::Tape* tape) {
  const Tensor gates = cell.gates(ops::select_rows(x, order.rows, tape), tape);  // [N, G*D]
  const Tensor states = cell.all_steps(gates, order, {}, tape);                  // [N, S]
  return {ops::select_rows(cell.outputs(states, tape), ops::inverse(order.rows), tape),
          ops::select_rows(states, order.last, tape)};
}

}  // namespace

RecurrentEncoder::RecurrentEncoder(const RecurrentEncoderOptions& o, RngStreams& streams)
    : dropout{o.dropout, streams.take(o.depth - 1)} {
  for (int64_t l = 0; l < o.depth; ++l) {
    const int64_t in = l == 0 ? o.features : width();
    Layer layer{RecurrentCell(o.cell, in, o.features), {}};
    if (o.bidirectional && l == 0) layer.backward = layer.forward;
    layers.push_back(std::move(layer));
  }
}

int64_t RecurrentEncoder::width() const {
  const Layer& top = layers.back();
  return top.reads_both_ways() ? 2 * top.forward.units : top.forward.units;
}

int64_t RecurrentEncoder::last_size() const {
  return layers.back().reads_both_ways() ? width() : layers.back().forward.state_size();
}

Memory RecurrentEncoder::operator()(Tensor x, const ops::LayoutPtr& rows,
                                    const Context& context) const {
  const PackedSequence forwards(*rows, Direction::kForward);
  Memory out{{}, rows, {}};
  Dropout between = dropout;
  for (size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = layers[l];
    if (l > 0) {
      x = ops::dropout(x, context.dropout(between, rows), context.tape);
      ++between.stream;
    }
    Read ahead = read(layer.forward, x, forwards, context.tape);
    if (layer.reads_both_ways()) {
      const RecurrentCell& cell = layer.backward;
      const Read back = read(cell, x, PackedSequence(*rows, Direction::kBackward), context.tape);
      x = ops::concat_cols(ahead.outputs, back.outputs, context.tape);  // [M, 2*D]
      ahead.last = ops::concat_cols(cell.outputs(ahead.last, context.tape),
                                    cell.outputs(back.last, context.tape), context.tape);
    } else {
      x = ahead.outputs;
    }
    out.initial_decoder_state.push_back(ahead.last);
  }
  out.states = x;
  return out;
}

}  // namespace weft::nn
