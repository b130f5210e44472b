#include "weft/nn/recurrent/attention.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/recurrent.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/additive_attention.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

// The probabilities [T, S] of each packed sequence, from those of each step.
std::vector<Tensor> in_packed_order(const std::vector<Tensor>& steps, const PackedSequence& order,
                                    const Segments& memory) {
  const std::vector<int32_t>& sequences = *order.sequences.from;
  std::vector<Tensor> out(sequences.size());
  for (size_t i = 0; i < sequences.size(); ++i) {
    std::vector<Tensor> rows;
    for (const Tensor& step : steps) {
      const auto b = static_cast<int64_t>(i);
      if (step.cols() < memory.end(b)) break;  // the sequence is over
      rows.push_back(step.col_range(memory.begin(b), memory.end(b)));
    }
    out[sequences[i]] = ops::stack_rows(rows, nullptr);
  }
  return out;
}

ops::AttentionParams params_of(const ops::LayoutPtr& rows, const Memory& memory) {
  ops::AttentionParams params;
  params.queries = rows;
  params.keys = memory.rows;
  return params;
}

}  // namespace

SortedMemory::SortedMemory(const Memory& memory, const PackedSequence& order,
                           autograd::Tape* tape) {
  const ops::Layout& rows = *memory.rows;
  std::vector<int32_t> at;
  for (const int32_t b : *order.sequences.from) {
    for (int32_t m = rows.segments.begin(b); m < rows.segments.end(b); ++m) at.push_back(m);
    segments.append(rows.segments.length(b));
  }
  states = ops::select_rows(memory.states, ops::make_selection(std::move(at), rows.count()), tape);
}

BahdanauAttention::BahdanauAttention(const RecurrentCell& cell, int64_t memory_width)
    : query(cell.units, cell.units, false),
      key(memory_width, cell.units, true),
      score({1, cell.units}, Init::kGlorot),
      input(memory_width, cell.weight_hh.shape.rows(), false) {}

BahdanauAttention::Steps BahdanauAttention::all_steps(const Input& in,
                                                      const Context& context) const {
  const auto& [cell, gates, order, initial, memory] = in;
  autograd::Tape* const tape = context.tape;
  const bool is_seen = is_observed(context, kSourceAttention);
  const SortedMemory sorted(memory, order, tape);
  const Tensor& values = sorted.states;   // [M, C]
  const Tensor keys = key(values, tape);  // [M, A]
  std::vector<Tensor> states, contexts, traced;
  Tensor state = initial, probabilities;
  for (size_t t = 0; t + 1 < order.steps->size(); ++t) {
    const int64_t begin = (*order.steps)[t], end = (*order.steps)[t + 1], count = end - begin;
    const Tensor before = ops::slice_rows(state, 0, count, tape);
    const auto attended = std::make_shared<const Segments>(sorted.segments.slice(0, count));
    const Tensor c = ops::additive_attention(query(cell.outputs(before, tape), tape),
                                             {ops::slice_rows(keys, 0, attended->rows(), tape),
                                              ops::slice_rows(values, 0, attended->rows(), tape),
                                              score, attended, is_seen ? &probabilities : nullptr},
                                             tape);  // [n, C]
    const Tensor all = ops::add(ops::slice_rows(gates, begin, end, tape), input(c, tape), tape);
    state = cell.step(all, before, tape);
    states.push_back(state);
    contexts.push_back(c);
    if (is_seen) traced.push_back(probabilities);
  }
  if (is_seen) {
    const std::vector<Tensor> matrices = in_packed_order(traced, order, sorted.segments);
    const auto of_sentence = [&](const ops::SequenceHead& which) {
      return matrices[which.sequence];
    };
    context.observer->see(kSourceAttention, ObservedFunction(std::ssize(matrices), 1, of_sentence),
                          tape);
  }
  return {ops::stack_rows(states, tape), ops::stack_rows(contexts, tape)};
}

BahdanauAttention::Steps BahdanauAttention::step(const StepInput& in,
                                                 const Context& context) const {
  const auto& [cell, gates, before, memory] = in;
  std::vector<int32_t> rows;
  Segments attended;
  for (const auto& row : memory.attended) {
    rows.insert(rows.end(), row.begin(), row.end());
    attended.append(std::ssize(row));
  }
  const Tensor& values = memory.kept.values.page(0);
  const Tensor q = query(cell.outputs(before, nullptr), nullptr);  // [n, A]
  const Tensor c = Tensor::empty({q.rows(), values.cols()}, q.dtype());
  const Tensor all = Tensor::empty({1, attended.rows()}, sum_type(q.dtype()));
  backend_of(q)(kernels::AdditiveAttention{.q = q,
                                           .keys = memory.kept.keys.page(0),
                                           .v = score.value,
                                           .values = values,
                                           .rows = rows,
                                           .offsets = attended.offsets,
                                           .out = c,
                                           .weights = all});
  if (is_observed(context, kSourceAttention)) {
    const auto weights = [&](const ops::SequenceHead& which) {
      return all.col_range(attended.begin(which.sequence), attended.end(which.sequence));
    };
    context.observer->see(kSourceAttention, ObservedFunction(q.rows(), 1, weights), nullptr);
  }
  return {cell.step(ops::add(gates, input(c, nullptr), nullptr), before, nullptr), c};
}

void BahdanauAttention::prefill_cross(const Memory& memory, KvCache& cache) const {
  cache.write_memory(cache.layers() - 1, key(memory.states, nullptr), memory.states, 0);
}

LuongAttention::LuongAttention(const RecurrentCell& cell, int64_t memory_width, bool feeds_input)
    : query(cell.units, memory_width, false) {
  if (feeds_input) feed = Linear(cell.units, cell.weight_hh.shape.rows(), false);
}

Tensor LuongAttention::contexts(const Tensor& outputs, const ops::LayoutPtr& rows,
                                const Memory& memory, const Context& context) const {
  const Tensor q = query(outputs, context.tape);  // [N, C]
  const ops::AttentionParams params = params_of(rows, memory);
  show_to_observer(q, memory.states, params, kSourceAttention, context);
  return ops::attention(q, memory.states, memory.states, params, context.tape);
}

void LuongAttention::observe(const Tensor& outputs, const ops::LayoutPtr& rows,
                             const Memory& memory, const Context& context) const {
  const ops::AttentionParams params = params_of(rows, memory);
  const ObservedPass pass(query(outputs, nullptr), memory.states, params);
  context.observer->see(kSourceAttention, pass, context.tape);
}

Tensor LuongAttention::contexts(const Tensor& outputs, const SortedMemory& memory,
                                autograd::Tape* tape) const {
  const int64_t count = outputs.rows();
  ops::AttentionParams params;
  params.queries = ops::make_layout(Segments::uniform(count, 1));
  params.keys = ops::make_layout(memory.segments.slice(0, count));
  const Tensor states = ops::slice_rows(memory.states, 0, params.keys->count(), tape);
  return ops::attention(query(outputs, tape), states, states, params, tape);
}

Tensor LuongAttention::contexts(const Tensor& outputs, const CachedMemory& memory,
                                const Context& context) const {
  const Tensor q = query(outputs, nullptr);  // [n, C]
  return attend({q, memory.kept, memory.attended, q.cols(), {}}, kSourceAttention, context);
}

void LuongAttention::prefill_cross(const Memory& memory, KvCache& cache) const {
  cache.write_memory(cache.layers() - 1, memory.states, memory.states, 1);
}

}  // namespace weft::nn
