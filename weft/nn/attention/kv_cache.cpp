#include "weft/nn/attention/kv_cache.h"

#include <algorithm>

#include "weft/kernels/attention.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

constexpr int64_t kFirstRows = 256;

Tensor grown(const Tensor& x, int64_t rows, int64_t cols, DType type) {
  Tensor larger = Tensor::empty({rows, cols}, type);
  if (x) backend_of(x)(kernels::Copy{.x = x, .y = larger.row_range(0, x.rows())});
  return larger;
}

void write_rows(Tensor& cached, const Tensor& x, std::span<const int32_t> numbers, int64_t capacity,
                DType type) {
  if (!cached || cached.rows() < capacity) cached = grown(cached, capacity, x.cols(), type);
  backend_of(x)(kernels::ScatterRows{.x = x, .index = numbers.data(), .y = cached});
}

}  // namespace

void AttendedRows::clear() {
  rows.clear();
  segments.clear();
}

void AttendedRows::add(std::span<const int32_t> attended) {
  rows.insert(rows.end(), attended.begin(), attended.end());
  segments.append(std::ssize(rows) - segments.rows());
}

void KvRows::write(const Tensor& k, const Tensor& v, std::span<const int32_t> numbers,
                   int64_t capacity, DType type) {
  write_rows(keys, k, numbers, capacity, type);
  write_rows(values, v, numbers, capacity, type);
}

Tensor cached_attention(const Tensor& q, const KvRows& kept, const AttendedRows& attended,
                        kernels::CachedAttention call) {
  const int64_t groups = call.key_heads == 0 ? call.heads : call.key_heads;
  Tensor out = Tensor::empty({q.rows(), call.heads * (kept.values.cols() / groups)}, q.dtype());
  call.q = q;
  call.out = out;
  call.keys = kept.keys;
  call.values = kept.values;
  call.rows = attended.rows;
  call.offsets = attended.segments.offsets;
  backend_of(q)(call);
  return out;  // [W, H*Kv]
}

int32_t FreeRows::take() {
  if (!free_.empty()) {
    const int32_t row = free_.back();
    free_.pop_back();
    return row;
  }
  if (next_ == capacity_) capacity_ = std::max(kFirstRows, capacity_ + capacity_ / 2);
  return next_++;
}

KvCache::KvCache(int64_t layers, int64_t slots, DType type)
    : type_(type), layers_(static_cast<size_t>(layers)), slots_(static_cast<size_t>(slots)) {}

void KvCache::enter(std::span<const int32_t> slots, const Segments& sources) {
  entered_.clear();
  entered_slots_.assign(slots.begin(), slots.end());
  for (size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots_.at(static_cast<size_t>(slots[i]));
    leave(slot);
    slot.is_taken = true;
    for (int32_t row = 0; row < sources.length(static_cast<int64_t>(i)); ++row) {
      slot.source.push_back(free_sources_.take());
    }
    entered_.insert(entered_.end(), slot.source.begin(), slot.source.end());
  }
}

void KvCache::release(std::span<const int32_t> slots) {
  for (const int32_t slot : slots) leave(slots_.at(static_cast<size_t>(slot)));
}

void KvCache::leave(Slot& slot) {
  free_steps_.give(slot.steps);
  free_sources_.give(slot.source);
  slot = {};
}

void KvCache::free_unattended(Slot& slot, int64_t count) {
  if (count == 0) return;
  is_attended_.resize(static_cast<size_t>(free_steps_.capacity()), false);
  const int64_t end = self_.segments.rows();
  const int64_t begin = self_.segments.begin(self_.segments.count() - count);
  const auto attended = std::span(self_.rows).subspan(begin, end - begin);
  for (const int32_t row : attended) is_attended_[row] = true;
  const auto rest = std::stable_partition(slot.steps.begin(), slot.steps.end(),
                                          [&](int32_t row) { return is_attended_[row]; });
  free_steps_.give({rest, slot.steps.end()});
  slot.steps.erase(rest, slot.steps.end());
  for (const int32_t row : attended) is_attended_[row] = false;
}

void KvCache::begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts) {
  auto rows = std::make_shared<ops::Rows>();
  std::swap(self_, before_);
  self_.clear();
  memory_.clear();
  own_.clear();
  for (size_t s = 0; s < counts.size(); ++s) {
    Slot& slot = slots_.at(s);
    if (counts[s] == 0 && slot.is_taken) leave(slot);
    for (int32_t i = 0; i < counts[s]; ++i) {
      const size_t w = own_.size();
      if (w >= parents.size() || !slot.is_taken) {
        fail<ShapeError>("kv cache", "{} rows for slot {} and {} parents", counts[s], s,
                         parents.size());
      }
      own_.push_back(free_steps_.take());
      slot.steps.push_back(own_.back());
      if (parents[w] >= 0) {
        const auto attended = before_.of(parents[w]);
        self_.rows.insert(self_.rows.end(), attended.begin(), attended.end());
      }
      rows->position.push_back(
          static_cast<int32_t>(std::ssize(self_.rows) - self_.segments.rows()));
      self_.add({&own_.back(), 1});
      memory_.add(slot.source);
      rows->sentence.push_back(static_cast<int32_t>(s));
    }
    rows->segments.append(counts[s]);
    free_unattended(slot, counts[s]);
  }
  if (own_.size() != parents.size()) {
    fail<ShapeError>("kv cache", "{} rows for {} parents", own_.size(), parents.size());
  }
  parents_.assign(parents.begin(), parents.end());
  rows_ = std::move(rows);
}

void KvCache::begin_state(size_t layer, const Tensor& states) {
  Tensor& initial = layers_[layer].initial;
  if (!initial) initial = Tensor::zeros({std::ssize(slots_), states.cols()}, states.dtype());
  check_shape("kv cache", "states", states, std::ssize(entered_slots_), initial.cols());
  backend_of(states)(
      kernels::ScatterRows{.x = states, .index = entered_slots_.data(), .y = initial});
}

Tensor KvCache::continue_state(size_t layer, int64_t cols, DType dtype) const {
  const Layer& from = layers_[layer];
  const auto count = std::ssize(parents_);
  if (from.initial) check_shape("kv cache", "initial", from.initial, -1, cols);
  const bool any_goes_on = std::ranges::any_of(parents_, [](int32_t p) { return p >= 0; });
  Tensor out;
  if (any_goes_on) {
    check_shape("kv cache", "state", from.state, -1, cols);
    out = Tensor::empty({count, cols}, dtype);
    backend_of(out)(kernels::GatherRows{.x = from.state, .index = parents_.data(), .y = out});
  } else {
    out = Tensor::zeros({count, cols}, dtype);
  }
  for (int64_t w = 0; from.initial && w < count; ++w) {
    if (parents_[w] >= 0) continue;
    const int64_t slot = rows_->sentence[w];
    backend_of(out)(
        kernels::Copy{.x = from.initial.row_range(slot, slot + 1), .y = out.row_range(w, w + 1)});
  }
  return out;
}

void KvCache::write_self(size_t layer, const Tensor& k, const Tensor& v) {
  layers_[layer].self.write(k, v, own_, free_steps_.capacity(), type_);
}

void KvCache::write_clusters(size_t layer, std::span<const int32_t> clusters, int64_t count) {
  Layer& to = layers_[layer];
  if (std::ssize(clusters) != std::ssize(own_) * count) {
    fail<ShapeError>("kv cache", "{} clusters for {} rows of {}", clusters.size(), own_.size(),
                     count);
  }
  to.cluster_ids = count;
  to.clusters.resize(static_cast<size_t>(free_steps_.capacity() * count));
  for (size_t w = 0; w < own_.size(); ++w) {
    std::copy_n(clusters.begin() + static_cast<int64_t>(w) * count, count,
                to.clusters.begin() + own_[w] * count);
  }
}

void KvCache::write_memory(size_t layer, const Tensor& k, const Tensor& v) {
  layers_[layer].memory.write(k, v, entered_, free_sources_.capacity(), type_);
}

}  // namespace weft::nn
