#include "weft/nn/recurrent/decoder.h"

#include <algorithm>

#include "weft/ops/dropout.h"
#include "weft/ops/slice.h"

namespace weft::nn {

Tensor CopiedStart::state(const Memory& memory, size_t layer, const RecurrentCell&,
                          autograd::Tape*) const {
  return memory.last[std::min(layer, memory.last.size() - 1)];
}

Tensor BridgedStart::state(const Memory& memory, size_t layer, const RecurrentCell& cell,
                           autograd::Tape* tape) const {
  const Tensor output = layers[layer](memory.last.back(), tape, ops::Activation::kTanh);  // [B, D]
  const int64_t rest = cell.state_size() - output.cols();
  if (rest == 0) return output;
  return ops::concat_cols(output, Tensor::zeros({output.rows(), rest}, output.dtype()), tape);
}

namespace {

using Attention = decltype(RecurrentDecoder::attention);

Attention make_attention(const RecurrentDecoderOptions& o, const RecurrentCell& first) {
  switch (o.attention) {
    case SourceAttention::kAdditive: return AdditiveAttention(first, o.memory_width);
    case SourceAttention::kGeneral: return GeneralAttention(o.features, o.memory_width);
    case SourceAttention::kNone: break;
  }
  return NoAttention{};
}

}  // namespace

SourceAttention make_source_attention(std::string_view name) {
  if (name == "bahdanau") return SourceAttention::kAdditive;
  if (name == "luong") return SourceAttention::kGeneral;
  fail<OptionError>("rnn-attention", "expected bahdanau or luong, got '{}'", name);
}

RecurrentDecoder::RecurrentDecoder(const RecurrentDecoderOptions& o) : dropout(o.dropout) {
  BridgedStart bridged;
  for (int64_t l = 0; l < o.depth; ++l) {
    layers.emplace_back(o.cell, o.features, o.features);
    bridged.layers.emplace_back(o.last_size, o.features, true);
  }
  if (!o.copies_start) start = std::move(bridged);
  attention = make_attention(o, layers.front());
  if (!has_attention()) return;
  const int64_t inputs = o.attention == SourceAttention::kAdditive ? o.features : 0;
  readout = Linear(o.features + o.memory_width + inputs, o.features, true);
}

Tensor RecurrentDecoder::start_of(size_t layer, const Memory& memory, autograd::Tape* tape) const {
  return std::visit([&](const auto& s) { return s.state(memory, layer, layers[layer], tape); },
                    start);
}

void RecurrentDecoder::remember(const Memory& memory, KvCache& cache) const {
  for (cache.current = 0; cache.current < layers.size(); ++cache.current) {
    cache.begin_state(start_of(cache.current, memory, nullptr));
  }
  if (const auto* a = std::get_if<AdditiveAttention>(&attention)) a->remember(memory, cache);
  if (const auto* a = std::get_if<GeneralAttention>(&attention)) a->remember(memory, cache);
}

Tensor RecurrentDecoder::step(const Tensor& x, KvCache& cache) const {
  Tensor y = x, read = {};  // what the readout sees beside the output
  for (size_t l = 0; l < layers.size(); ++l) {
    const RecurrentCell& cell = layers[l];
    const Tensor gates = cell.gates(y, nullptr);
    const auto* additive = std::get_if<AdditiveAttention>(&attention);
    if (l == 0 && additive != nullptr) {
      const auto [state, context] = additive->step(cell, gates, cache);
      y = cell.outputs(state, nullptr);
      read = ops::concat_cols(context, x, nullptr);
      continue;
    }
    cache.current = l;
    const Tensor state =
        cell.step(gates, cache.continue_state(cell.state_size(), x.dtype()), nullptr);
    cache.keep_state(state);
    y = cell.outputs(state, nullptr);
  }
  if (const auto* a = std::get_if<GeneralAttention>(&attention)) read = a->step(y, cache);
  if (!read) return y;
  return readout(ops::concat_cols(y, read, nullptr), nullptr, ops::Activation::kTanh);
}

Tensor RecurrentDecoder::operator()(const Tensor& x, const ops::RowsPtr& rows, const Memory& memory,
                                    Context& context) const {
  if (context.cache != nullptr) return step(x, *context.cache);
  autograd::Tape* tape = context.tape;
  const TimeOrder order(*rows, Direction::kForward);
  const ops::Selection to_packed = ops::inverse(order.rows);
  Tensor y = ops::select_rows(x, order.rows, tape), read = {};
  for (size_t l = 0; l < layers.size(); ++l) {
    const RecurrentCell& cell = layers[l];
    if (l > 0) y = ops::dropout(y, context.dropout(dropout, order.places), tape);
    const Tensor gates = cell.gates(y, tape);  // [N, G*D]
    const Tensor initial = ops::select_rows(start_of(l, memory, tape), order.sentences, tape);
    const auto* additive = std::get_if<AdditiveAttention>(&attention);
    if (l == 0 && additive != nullptr) {
      const auto [states, contexts] =
          additive->all_steps({cell, gates, order, initial, memory, context.trace}, tape);
      y = cell.outputs(states, tape);
      read = ops::concat_cols(ops::select_rows(contexts, to_packed, tape), x, tape);
    } else {
      y = cell.outputs(cell.all_steps(gates, order, initial, tape), tape);
    }
  }
  y = ops::select_rows(y, to_packed, tape);  // [N, D]
  if (const auto* a = std::get_if<GeneralAttention>(&attention)) {
    read = a->contexts(y, rows, memory, context);
  }
  if (read) y = readout(ops::concat_cols(y, read, tape), tape, ops::Activation::kTanh);
  return ops::dropout(y, context.dropout(dropout, rows), tape);
}

}  // namespace weft::nn
