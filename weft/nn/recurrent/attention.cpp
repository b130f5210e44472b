#include "weft/nn/recurrent/attention.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/recurrent.h"
#include "weft/ops/add.h"
#include "weft/ops/fused/additive_attention.h"
#include "weft/ops/slice.h"

namespace weft::nn {
namespace {

// The weights [T, S] of each packed sentence, from those of each step.
ops::AttentionTrace in_packed_order(const std::vector<Tensor>& steps, const TimeOrder& order,
                                    const Segments& memory) {
  const std::vector<int32_t>& sentences = *order.sentences.at;
  ops::AttentionTrace out(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) {
    std::vector<Tensor> rows;
    for (const Tensor& step : steps) {
      const auto b = static_cast<int64_t>(i);
      if (step.cols() < memory.end(b)) break;  // the sentence is over
      rows.push_back(step.col_range(memory.begin(b), memory.end(b)));
    }
    out[sentences[i]] = ops::stack_rows(rows, nullptr);
  }
  return out;
}

}  // namespace

SortedMemory::SortedMemory(const Memory& memory, const TimeOrder& order, autograd::Tape* tape) {
  const ops::Rows& rows = *memory.rows;
  std::vector<int32_t> at;
  for (const int32_t b : *order.sentences.at) {
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

BahdanauAttention::Steps BahdanauAttention::all_steps(const Way& way, autograd::Tape* tape) const {
  const auto& [cell, gates, order, initial, memory, trace] = way;
  const SortedMemory sorted(memory, order, tape);
  const Tensor& values = sorted.states;   // [M, C]
  const Tensor keys = key(values, tape);  // [M, A]
  std::vector<Tensor> states, contexts, shares;
  Tensor state = initial, weights;
  for (size_t t = 0; t + 1 < order.steps->size(); ++t) {
    const int64_t begin = (*order.steps)[t], end = (*order.steps)[t + 1], count = end - begin;
    const Tensor before = ops::slice_rows(state, 0, count, tape);
    const auto seen = std::make_shared<const Segments>(sorted.segments.slice(0, count));
    const Tensor context =
        ops::additive_attention(query(cell.outputs(before, tape), tape),
                                {ops::slice_rows(keys, 0, seen->rows(), tape),
                                 ops::slice_rows(values, 0, seen->rows(), tape), score, seen,
                                 trace == nullptr ? nullptr : &weights},
                                tape);  // [n, C]
    const Tensor all =
        ops::add(ops::slice_rows(gates, begin, end, tape), input(context, tape), tape);
    state = cell.step(all, before, tape);
    states.push_back(state);
    contexts.push_back(context);
    if (trace != nullptr) shares.push_back(weights);
  }
  if (trace != nullptr) *trace = in_packed_order(shares, order, sorted.segments);
  return {ops::stack_rows(states, tape), ops::stack_rows(contexts, tape)};
}

BahdanauAttention::Steps BahdanauAttention::step(const RecurrentCell& cell, const Tensor& gates,
                                                 KvCache& cache) const {
  cache.current = 0;
  const Tensor before = cache.continue_state(cell.state_size(), gates.dtype());
  cache.current = cache.layers() - 1;
  const KvRows& kept = cache.layer().memory;
  const SeenRows& seen = cache.memory();
  const Tensor q = query(cell.outputs(before, nullptr), nullptr);  // [W, A]
  const Tensor context = Tensor::empty({q.rows(), kept.values.cols()}, q.dtype());
  const Tensor weights = Tensor::empty({1, std::ssize(seen.rows)}, sum_type(q.dtype()));
  backend_of(q)(kernels::AdditiveAttention{.q = q,
                                           .keys = kept.keys,
                                           .v = score.value,
                                           .values = kept.values,
                                           .rows = seen.rows,
                                           .offsets = seen.segments.offsets,
                                           .out = context,
                                           .weights = weights});
  if (float* wanted = cache.memory_weights()) {
    std::copy_n(weights.data<float>(), weights.size(), wanted);
  }
  cache.current = 0;
  const Tensor next = cell.step(ops::add(gates, input(context, nullptr), nullptr), before, nullptr);
  cache.keep_state(next);
  return {next, context};
}

void BahdanauAttention::remember(const Memory& memory, KvCache& cache) const {
  cache.current = cache.layers() - 1;
  cache.write_memory(key(memory.states, nullptr), memory.states);
}

LuongAttention::LuongAttention(const RecurrentCell& cell, int64_t memory_width, bool feeds_input)
    : query(cell.units, memory_width, false) {
  if (feeds_input) feed = Linear(cell.units, cell.weight_hh.shape.rows(), false);
}

Tensor LuongAttention::contexts(const Tensor& outputs, const ops::RowsPtr& rows,
                                const Memory& memory, Context& context) const {
  ops::AttentionRule rule;
  rule.queries = rows;
  rule.keys = memory.rows;
  rule.trace = context.trace;
  return ops::attention(query(outputs, context.tape), memory.states, memory.states, rule,
                        context.tape);
}

Tensor LuongAttention::contexts(const Tensor& outputs, const SortedMemory& memory,
                                autograd::Tape* tape) const {
  const int64_t count = outputs.rows();
  ops::AttentionRule rule;
  rule.queries = ops::make_rows(Segments::uniform(count, 1));
  rule.keys = ops::make_rows(memory.segments.slice(0, count));
  const Tensor seen = ops::slice_rows(memory.states, 0, rule.keys->count(), tape);
  return ops::attention(query(outputs, tape), seen, seen, rule, tape);
}

Tensor LuongAttention::step(const Tensor& outputs, KvCache& cache) const {
  cache.current = cache.layers() - 1;
  const Tensor q = query(outputs, nullptr);  // [W, C]
  kernels::CachedAttention call;
  call.weights = cache.memory_weights();
  return cached_attention(q, cache.layer().memory, cache.memory(), call);
}

void LuongAttention::remember(const Memory& memory, KvCache& cache) const {
  cache.current = cache.layers() - 1;
  cache.write_memory(memory.states, memory.states);
}

}  // namespace weft::nn
