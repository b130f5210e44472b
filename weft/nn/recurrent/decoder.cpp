#include "weft/nn/recurrent/decoder.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/slice.h"

namespace weft::nn {

Tensor CopiedInitialState::state(const Memory& memory, size_t layer, const RecurrentCell&,
                                 autograd::Tape*) const {
  return memory.initial_decoder_state[std::min(layer, memory.initial_decoder_state.size() - 1)];
}

Tensor Bridge::state(const Memory& memory, size_t layer, const RecurrentCell& cell,
                     autograd::Tape* tape) const {
  Tensor output = layers[layer](memory.initial_decoder_state.back(), tape,
                                ops::Activation::kTanh);  // [B, D]
  const int64_t rest = cell.state_size() - output.cols();
  if (rest == 0) return output;
  return ops::concat_cols(output, Tensor::zeros({output.rows(), rest}, output.dtype()), tape);
}

namespace {

using Attention = decltype(RecurrentDecoder::attention);

Attention make_attention(const RecurrentDecoderOptions& o, const RecurrentCell& first) {
  switch (o.attention) {
    case SourceAttention::kBahdanau: return BahdanauAttention(first, o.memory_width);
    case SourceAttention::kLuong: return LuongAttention(first, o.memory_width, o.feeds_input);
    case SourceAttention::kNone: break;
  }
  return NoAttention{};
}

}  // namespace

RecurrentDecoder::RecurrentDecoder(const RecurrentDecoderOptions& o, RngStreams& streams)
    : dropout{o.dropout, streams.take(o.depth)} {
  Bridge bridge;
  for (int64_t l = 0; l < o.depth; ++l) {
    layers.emplace_back(o.cell, o.features, o.features);
    bridge.layers.emplace_back(o.last_size, o.features, true);
  }
  if (!o.copies_start) start = std::move(bridge);
  attention = make_attention(o, layers.front());
  if (!has_attention()) return;
  const int64_t inputs = o.attention == SourceAttention::kBahdanau ? o.features : 0;
  readout = Linear(o.features + o.memory_width + inputs, o.features, true);
}

Tensor RecurrentDecoder::initial_state(size_t layer, const Memory& memory,
                                       autograd::Tape* tape) const {
  return std::visit([&](const auto& s) { return s.state(memory, layer, layers[layer], tape); },
                    start);
}

void RecurrentDecoder::prefill_cross(const Memory& memory, KvCache& cache) const {
  for (size_t l = 0; l < layers.size(); ++l) {
    cache.begin_state(l, initial_state(l, memory, nullptr));
  }
  std::visit([&](const auto& a) { a.prefill_cross(memory, cache); }, attention);
}

bool RecurrentDecoder::feeds() const {
  const auto* luong = std::get_if<LuongAttention>(&attention);
  return luong != nullptr && luong->feeds();
}

Tensor RecurrentDecoder::read(const Tensor& output, const Tensor& beside,
                              autograd::Tape* tape) const {
  return readout(ops::concat_cols(output, beside, tape), tape, ops::Activation::kTanh);
}

std::vector<Tensor> RecurrentDecoder::continue_states(KvCache& cache, DType dtype) const {
  std::vector<Tensor> states;
  for (size_t l = 0; l < layers.size(); ++l) {
    states.push_back(cache.continue_state(l, layers[l].state_size(), dtype));
  }
  if (feeds())
    states.push_back(cache.continue_state(layers.size(), readout.weight.shape.rows(), dtype));
  return states;
}

Tensor RecurrentDecoder::run_step(const Tensor& x, std::vector<Tensor>& states,
                                  const CachedMemory& memory, const Context& context) const {
  Tensor y = x, beside = {};  // what the readout reads beside the output
  const auto* bahdanau = std::get_if<BahdanauAttention>(&attention);
  const auto* luong = std::get_if<LuongAttention>(&attention);
  for (size_t l = 0; l < layers.size(); ++l) {
    const RecurrentCell& cell = layers[l];
    Tensor gates = cell.gates(y, nullptr);
    if (l == 0 && bahdanau != nullptr) {
      const auto [state, attended] = bahdanau->step({cell, gates, states[l], memory}, context);
      states[l] = state;
      beside = ops::concat_cols(attended, x, nullptr);
    } else {
      if (l == 0 && feeds()) gates = ops::add(gates, luong->feed(states.back(), nullptr), nullptr);
      states[l] = cell.step(gates, states[l], nullptr);
    }
    y = cell.outputs(states[l], nullptr);
  }
  if (luong != nullptr) beside = luong->contexts(y, memory, context);
  if (beside) y = read(y, beside, nullptr);
  if (feeds()) states.back() = y;
  return y;
}

Tensor RecurrentDecoder::step(const Tensor& x, KvCache& cache, const Context& context) const {
  std::vector<Tensor> states = continue_states(cache, x.dtype());
  Tensor y = run_step(x, states, {CachedMemory::kept_in(cache), cache.memory()}, context);
  for (size_t l = 0; l < states.size(); ++l) cache.keep_state(l, states[l]);
  return y;
}

namespace {

// Collects what each row of a pass attends to, from several steps.
class RowRecorder final : public AttentionObserver {
 public:
  bool wants(const AttentionKey& key) const override { return key == kSourceAttention; }
  void see(const AttentionKey&, const ObservedAttention& step, autograd::Tape*) override {
    for (int64_t n = 0; n < step.examples(); ++n)
      rows_.push_back(step.probabilities({n, 0}, nullptr));
  }
  // Shows them as one pass, row n being the `number[n]`-th that was seen.
  void show(AttentionObserver& observer, std::span<const int32_t> number) const {
    const auto weights = [&](const ops::SequenceHead& which) {
      return rows_[static_cast<size_t>(number[which.sequence])];
    };
    observer.see(kSourceAttention, ObservedFunction(std::ssize(rows_), 1, weights), nullptr);
  }

 private:
  std::vector<Tensor> rows_;
};

}  // namespace

Tensor RecurrentDecoder::prefill(const Tensor& x, KvCache& cache, const Context& context) const {
  const PackedSequence order(*cache.rows(), Direction::kForward);
  const Tensor packed = ops::select_rows(x, order.rows, nullptr);
  std::vector<Tensor> all = continue_states(cache, x.dtype());  // of each prompt, the longest first
  for (Tensor& states : all) states = ops::select_rows(states, order.sequences, nullptr);
  RowRecorder recorder;
  Context inside = context;
  const bool is_seen = is_observed(context, kSourceAttention);
  inside.observer = is_seen ? &recorder : nullptr;
  std::vector<Tensor> out;
  for (size_t t = 0; t + 1 < order.steps->size(); ++t) {
    const int32_t begin = (*order.steps)[t], end = (*order.steps)[t + 1];
    RowLists attended;
    attended.reserve(static_cast<size_t>(end - begin));
    for (int32_t n = begin; n < end; ++n) attended.push_back(cache.memory()[(*order.rows.from)[n]]);
    std::vector<Tensor> states;
    states.reserve(all.size());
    for (const Tensor& each : all) states.push_back(each.row_range(0, end - begin));
    out.push_back(run_step(packed.row_range(begin, end), states,
                           {CachedMemory::kept_in(cache), attended}, inside));
    for (size_t l = 0; l < all.size(); ++l) {
      const Tensor to = all[l].row_range(0, end - begin);
      backend_of(to)(kernels::Copy{.x = states[l], .y = to});
    }
  }
  for (size_t l = 0; l < all.size(); ++l) {
    cache.keep_state(l, ops::select_rows(all[l], ops::inverse(order.sequences), nullptr));
  }
  if (is_seen) recorder.show(*context.observer, *order.rows.to);
  return ops::select_rows(ops::stack_rows(out, nullptr), ops::inverse(order.rows), nullptr);
}

namespace {

// The i-th of several dropouts.
Dropout nth(const Dropout& dropout, size_t i) {
  return {dropout.p, dropout.stream + static_cast<uint32_t>(i)};
}

// The same dropout for the rows of one step.
ops::DropoutParams of_step(const ops::DropoutParams& drop, int64_t begin, int64_t end) {
  if (!drop) return drop;
  auto rows = std::make_shared<ops::Layout>();
  rows->sequence.assign(drop.rows->sequence.begin() + begin, drop.rows->sequence.begin() + end);
  rows->position.assign(drop.rows->position.begin() + begin, drop.rows->position.begin() + end);
  ops::DropoutParams out = drop;
  out.mask.sequence = rows->sequence.data();
  out.mask.position = rows->position.data();
  out.rows = std::move(rows);
  return out;
}

}  // namespace

Tensor RecurrentDecoder::input_feeding_loop(const Tensor& x, const ops::LayoutPtr& rows,
                                            const Memory& memory, const Context& context) const {
  autograd::Tape* tape = context.tape;
  const auto& luong = std::get<LuongAttention>(attention);
  const PackedSequence order(*rows, Direction::kForward);
  const SortedMemory sorted(memory, order, tape);
  const Tensor gates = layers.front().gates(ops::select_rows(x, order.rows, tape), tape);
  std::vector<Tensor> states, outputs, out;
  std::vector<ops::DropoutParams> streams;
  for (size_t l = 0; l < layers.size(); ++l) {
    states.push_back(ops::select_rows(initial_state(l, memory, tape), order.sequences, tape));
    streams.push_back(l == 0 ? ops::DropoutParams()
                             : context.dropout(nth(dropout, l - 1), order.numbered));
  }
  const bool is_seen = is_observed(context, kSourceAttention);
  Tensor fed = Tensor::zeros({rows->sequences(), x.cols()}, x.dtype());
  for (size_t t = 0; t + 1 < order.steps->size(); ++t) {
    const int64_t begin = (*order.steps)[t], end = (*order.steps)[t + 1], count = end - begin;
    Tensor y = luong.feed(ops::slice_rows(fed, 0, count, tape), tape);
    for (size_t l = 0; l < layers.size(); ++l) {
      const RecurrentCell& cell = layers[l];
      const Tensor of_input =
          l == 0 ? ops::add(y, ops::slice_rows(gates, begin, end, tape), tape)
                 : cell.gates(ops::dropout(y, of_step(streams[l], begin, end), tape), tape);
      states[l] = cell.step(of_input, ops::slice_rows(states[l], 0, count, tape), tape);
      y = cell.outputs(states[l], tape);
    }
    fed = read(y, luong.contexts(y, sorted, tape), tape);
    out.push_back(fed);
    if (is_seen) outputs.push_back(y);
  }
  const auto packed = [&](const std::vector<Tensor>& steps) {
    return ops::select_rows(ops::stack_rows(steps, tape), ops::inverse(order.rows), tape);
  };
  if (is_seen) luong.observe(packed(outputs), rows, memory, context);
  return packed(out);
}

Tensor RecurrentDecoder::forward(const Tensor& x, const ops::LayoutPtr& rows, const Memory& memory,
                                 const Context& context) const {
  autograd::Tape* tape = context.tape;
  if (feeds()) {
    const Tensor y = input_feeding_loop(x, rows, memory, context);
    return ops::dropout(y, context.dropout(nth(dropout, layers.size() - 1), rows), tape);
  }
  const PackedSequence order(*rows, Direction::kForward);
  const ops::Selection to_packed = ops::inverse(order.rows);
  Tensor y = ops::select_rows(x, order.rows, tape), beside = {};
  for (size_t l = 0; l < layers.size(); ++l) {
    const RecurrentCell& cell = layers[l];
    if (l > 0) y = ops::dropout(y, context.dropout(nth(dropout, l - 1), order.numbered), tape);
    const Tensor gates = cell.gates(y, tape);  // [N, G*D]
    const Tensor initial = ops::select_rows(initial_state(l, memory, tape), order.sequences, tape);
    const auto* bahdanau = std::get_if<BahdanauAttention>(&attention);
    if (l == 0 && bahdanau != nullptr) {
      const auto [states, contexts] =
          bahdanau->all_steps({cell, gates, order, initial, memory}, context);
      y = cell.outputs(states, tape);
      beside = ops::concat_cols(ops::select_rows(contexts, to_packed, tape), x, tape);
    } else {
      y = cell.outputs(cell.all_steps(gates, order, initial, tape), tape);
    }
  }
  y = ops::select_rows(y, to_packed, tape);  // [N, D]
  if (const auto* a = std::get_if<LuongAttention>(&attention)) {
    beside = a->contexts(y, rows, memory, context);
  }
  if (beside) y = read(y, beside, tape);
  return ops::dropout(y, context.dropout(nth(dropout, layers.size() - 1), rows), tape);
}

}  // namespace weft::nn
