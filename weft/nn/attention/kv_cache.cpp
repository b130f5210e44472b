#include "weft/nn/attention/kv_cache.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

void copy_row(const Tensor& from, int64_t row, const Tensor& to, int64_t to_row) {
  backend_of(to)(
      kernels::Copy{.x = from.row_range(row, row + 1), .y = to.row_range(to_row, to_row + 1)});
}

}  // namespace

namespace {

// Rows in F64 are read by queries in F64, and no others are.
void check_type(const Tensor& x, DType type) {
  if ((x.dtype() == DType::kF64) == (type == DType::kF64)) return;
  fail<ShapeError>("kv cache", "keys and values of {} in a cache of {}", name_of(x.dtype()),
                   name_of(type));
}

}  // namespace

void attend_to_rows(const Tensor& q, const KvRows& kept, const RowLists& attended,
                    const Tensor& out, kernels::CachedAttention call) {
  call.q = q;
  call.out = out;
  call.keys = kept.keys.rows();
  call.values = kept.values.rows();
  call.rows = attended;
  backend_of(q)(call);
}

KvCache::KvCache(const std::vector<kernels::AttentionPattern>& layers, DType type)
    : type_(type), layers_(layers.size()) {
  for (const kernels::AttentionPattern& pattern : layers) {
    const auto same = std::ranges::find(groups_, pattern, &SequenceRows::pattern);
    group_of_.push_back(static_cast<size_t>(same - groups_.begin()));
    if (same == groups_.end()) groups_.emplace_back(pattern);
  }
  if (groups_.empty()) groups_.emplace_back(kernels::AttentionPattern());  // for positions alone
}

void KvCache::add_sequences(std::span<const int32_t> slots, const Segments& memory) {
  added_rows_.clear();
  added_slots_.assign(slots.begin(), slots.end());
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto number = static_cast<size_t>(slots[i]);
    if (number >= slots_.size()) slots_.resize(number + 1);
    release_slot(slots[i]);
    Slot& slot = slots_[number];
    slot.is_taken = true;
    memory_pool_.take(memory.length(static_cast<int64_t>(i)), slot.source);
    added_rows_.insert(added_rows_.end(), slot.source.begin(), slot.source.end());
    for (const Layer& layer : layers_) {
      const Tensor& prompts = layer.prompt_state;
      if (!prompts || slots[i] >= prompts.rows()) continue;
      const Tensor row = prompts.row_range(slots[i], slots[i] + 1);
      backend_of(row)(kernels::Fill{.y = row, .value = 0});
    }
  }
}

void KvCache::release(std::span<const int32_t> slots) {
  for (const int32_t slot : slots) {
    if (slot < std::ssize(slots_)) release_slot(slot);
  }
}

void KvCache::release_slot(int32_t slot) {
  for (SequenceRows& rows : groups_) rows.release(slot);
  memory_pool_.release(slots_[slot].source);
  slots_[slot] = {};
}

bool KvCache::has_beginning(int32_t slot, int64_t count) const {
  return std::ranges::all_of(
      groups_, [&](const SequenceRows& rows) { return rows.has_beginning(slot, count); });
}

int64_t KvCache::share_prompt(int32_t from, int32_t to, int64_t count) {
  taken_slot(from);
  taken_slot(to);
  const int64_t rows = prompt_rows(from);
  count = std::min(count, rows);
  if (prompt_rows(to) > 0 || (keeps_states() && count != rows)) return 0;
  if (!has_beginning(from, count)) return 0;
  for (SequenceRows& group : groups_) group.share(from, to, count);
  for (size_t l = 0; l < layers_.size(); ++l) {
    if (!layers_[l].prompt_state) continue;
    const Tensor& last = layers_[l].prompt_state;
    const Tensor& states = prompt_states(l, last.cols(), last.dtype());
    copy_row(states, from, states, to);
  }
  return count;
}

void KvCache::keep_hypothesis(int32_t number) {
  Slot& slot = taken_slot(number);
  if (slot.hypotheses != 1) {
    fail<ShapeError>("kv cache", "slot {} has {} hypotheses; expected 1 to keep", number,
                     slot.hypotheses);
  }
  for (SequenceRows& group : groups_) group.keep_hypothesis(number);
  for (size_t l = 0; l < layers_.size(); ++l) {
    const Tensor& last = slot.parked ? (*slot.parked)[l] : layers_[l].state;
    if (!last) continue;
    copy_row(last, slot.parked ? 0 : slot.first_row, prompt_states(l, last.cols(), last.dtype()),
             number);
  }
  slot.hypotheses = 0;
  slot.parked = nullptr;
}

void KvCache::drop_rows(int32_t slot, int64_t count) {
  taken_slot(slot);
  const int64_t rows = prompt_rows(slot);
  if (keeps_states() || count < 0 || count > rows) {
    fail<ShapeError>("kv cache", "{} rows of slot {} are dropped; expected 0 to {}", count, slot,
                     keeps_states() ? 0 : rows);
  }
  if (!has_beginning(slot, rows - count)) {
    fail<ShapeError>("kv cache",
                     "{} rows of slot {} are dropped, and a window has left behind what is seen "
                     "from there; expected at most {}, and those of the last pass",
                     count, slot, SequenceRows::kDroppable);
  }
  for (SequenceRows& group : groups_) group.crop(slot, rows - count);
}

bool KvCache::keeps_states() const {
  return std::ranges::any_of(layers_, [](const Layer& l) { return bool{l.prompt_state}; });
}

KvCache::Slot& KvCache::taken_slot(int64_t slot) {
  const auto number = static_cast<size_t>(slot);
  if (number < slots_.size() && slots_[number].is_taken) return slots_[number];
  fail<ShapeError>("kv cache", "a pass has rows of slot {}; expected one with a sequence", slot);
}

void KvCache::begin_pass(bool is_prompt) {
  is_prompt_ = is_prompt;
  for (SequenceRows& group : groups_) group.begin_pass();
  memory_.clear();
  pass_slots_.clear();
  state_rows_.clear();
  resumed_.clear();
}

void KvCache::begin_prompt(std::span<const int32_t> slots, const Segments& segments) {
  begin_pass(true);
  pass_slots_.assign(slots.begin(), slots.end());
  auto rows = std::make_shared<ops::Layout>();
  rows->segments = segments;
  for (int64_t i = 0; i < std::ssize(slots); ++i) {
    const Slot& slot = taken_slot(slots[i]);
    const auto count = segments.length(i);
    for (SequenceRows& group : groups_) group.extend_prompt(slots[i], count);
    rows->sequence.insert(rows->sequence.end(), count, slots[i]);
    memory_.insert(memory_.end(), count, slot.source);
  }
  rows->position = groups_.front().positions();
  rows_ = std::move(rows);
}

// Keeps the states of hypotheses that take no part in the next step.
void KvCache::park(Slot& slot) {
  if (slot.hypotheses == 0 || slot.parked) return;
  std::vector<Tensor> states;
  const auto end = slot.first_row + slot.hypotheses;
  for (const Layer& layer : layers_) {
    states.push_back(layer.state ? layer.state.row_range(slot.first_row, end).clone() : Tensor());
  }
  slot.parked = std::make_shared<const std::vector<Tensor>>(std::move(states));
}

// The rows of one slot in a step.
void KvCache::add_rows(int32_t number, std::span<const int32_t> parents) {
  Slot& slot = taken_slot(number);
  for (SequenceRows& group : groups_) group.continue_hypotheses(number, parents);
  const int32_t first_before = slot.first_row;
  slot.first_row = static_cast<int32_t>(pass_slots_.size());
  slot.hypotheses = std::ssize(parents);
  for (const int32_t parent : parents) {
    const bool is_resumed = slot.parked && parent >= 0;
    if (is_resumed) resumed_.push_back({std::ssize(pass_slots_), parent, slot.parked});
    state_rows_.push_back(is_resumed || parent < 0 ? -1 : first_before + parent);
    pass_slots_.push_back(number);
    memory_.emplace_back(slot.source);
  }
  slot.parked = nullptr;
}

void KvCache::begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts) {
  begin_pass(false);
  auto rows = std::make_shared<ops::Layout>();
  for (const int32_t count : counts) rows->segments.append(count);
  if (rows->segments.rows() != std::ssize(parents)) {
    fail<ShapeError>("kv cache", "{} rows for {} parents", rows->segments.rows(), parents.size());
  }
  for (size_t s = 0; s < slots_.size(); ++s) {
    if (s >= counts.size() || counts[s] == 0) park(slots_[s]);
  }
  for (int64_t s = 0; s < std::ssize(counts); ++s) {
    if (counts[s] == 0) continue;
    add_rows(static_cast<int32_t>(s), parents.subspan(rows->segments.begin(s), counts[s]));
  }
  rows->sequence = pass_slots_;
  rows->position = groups_.front().positions();
  rows_ = std::move(rows);
}

void KvCache::begin_memory_pass(std::span<const int32_t> counts) {
  begin_pass(false);
  for (int64_t s = 0; s < std::ssize(counts); ++s) {
    if (counts[s] > 0) memory_.insert(memory_.end(), counts[s], taken_slot(s).source);
  }
}

// [slots, cols], zeros where nothing was kept.
Tensor& KvCache::prompt_states(size_t layer, int64_t cols, DType type) {
  Tensor& states = layers_[layer].prompt_state;
  const int64_t rows = states ? states.rows() : 0;
  if (rows < std::ssize(slots_)) {
    const Tensor larger = Tensor::zeros({std::ssize(slots_), states ? states.cols() : cols}, type);
    if (states) backend_of(states)(kernels::Copy{.x = states, .y = larger.row_range(0, rows)});
    states = larger;
  }
  check_shape("kv cache", "state", states, -1, cols);
  return states;
}

void KvCache::begin_state(size_t layer, const Tensor& states) {
  check_shape("kv cache", "states", states, std::ssize(added_slots_), -1);
  const kernels::View to = prompt_states(layer, states.cols(), states.dtype());
  backend_of(states)(kernels::ScatterRows{.x = states, .index = added_slots_.data(), .y = to});
}

Tensor KvCache::continue_state(size_t layer, int64_t cols, DType dtype) const {
  const Layer& from = layers_[layer];
  const Tensor& prompts = from.prompt_state;
  if (prompts) check_shape("kv cache", "state", prompts, -1, cols);
  const auto count = std::ssize(pass_slots_);
  Tensor out;
  if (std::ranges::any_of(state_rows_, [](int32_t row) { return row >= 0; })) {
    check_shape("kv cache", "state", from.state, -1, cols);
    out = Tensor::empty({count, cols}, dtype);
    backend_of(out)(kernels::GatherRows{.x = from.state, .index = state_rows_.data(), .y = out});
  } else {
    out = Tensor::zeros({count, cols}, dtype);
  }
  for (int64_t w = 0; prompts && w < count; ++w) {
    const bool continues_prompt = is_prompt_ || state_rows_[w] < 0;
    if (continues_prompt && pass_slots_[w] < prompts.rows())
      copy_row(prompts, pass_slots_[w], out, w);
  }
  for (const auto& [step_row, state_row, states] : resumed_) {
    copy_row((*states)[layer], state_row, out, step_row);
  }
  return out;
}

void KvCache::keep_state(size_t layer, Tensor state) {
  if (!is_prompt_) {
    layers_[layer].state = std::move(state);
    return;
  }
  const kernels::View to = prompt_states(layer, state.cols(), state.dtype());
  backend_of(state)(kernels::ScatterRows{.x = state, .index = pass_slots_.data(), .y = to});
}

void KvCache::write_self(size_t layer, const Tensor& k, const Tensor& v, int64_t key_heads) {
  check_type(k, type_);
  KvRows& rows = layers_[layer].self;
  const RowFormat format{.type = type_, .page_bits = RowPool::kPageBits, .heads = key_heads};
  const SequenceRows& pass = rows_of(layer);
  rows.keys.write(k, pass.numbers(), pass.capacity(), format);
  rows.values.write(v, pass.numbers(), pass.capacity(), format);
}

void KvCache::write_memory(size_t layer, const Tensor& k, const Tensor& v, int64_t key_heads) {
  check_type(k, type_);
  KvRows& rows = layers_[layer].memory;
  const bool has_scales = key_heads > 0 || type_ != DType::kI8;
  const RowFormat format{.type = has_scales ? type_ : DType::kBF16, .heads = key_heads};
  rows.keys.write(k, added_rows_, memory_pool_.capacity(), format);
  rows.values.write(v, added_rows_, memory_pool_.capacity(), format);
}

void KvCache::write_clusters(size_t layer, std::span<const int32_t> clusters, int64_t count) {
  Layer& to = layers_[layer];
  const std::vector<int32_t>& numbers = rows_of(layer).numbers();
  if (std::ssize(clusters) != std::ssize(numbers) * count) {
    fail<ShapeError>("kv cache", "{} clusters for {} rows of {}", clusters.size(), numbers.size(),
                     count);
  }
  to.cluster_ids = count;
  to.clusters.resize(static_cast<size_t>(rows_of(layer).capacity() * count));
  for (size_t n = 0; n < numbers.size(); ++n) {
    std::copy_n(clusters.begin() + static_cast<int64_t>(n) * count, count,
                to.clusters.begin() + numbers[n] * count);
  }
}

int64_t KvCache::bytes() const {
  int64_t out = 0;
  for (const Layer& layer : layers_) {
    for (const KvRows* rows : {&layer.self, &layer.memory}) {
      out += rows->keys.bytes() + rows->values.bytes();
    }
  }
  return out;
}

}  // namespace weft::nn
