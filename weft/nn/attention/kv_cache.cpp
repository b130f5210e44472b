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

void write_rows(Tensor& cached, const Tensor& x, std::span<const int32_t> at, int64_t capacity,
                DType type) {
  if (!cached || cached.rows() < capacity) cached = grown(cached, capacity, x.cols(), type);
  backend_of(x)(kernels::ScatterRows{.x = x, .index = at.data(), .y = cached});
}

}  // namespace

void SeenRows::clear() {
  rows.clear();
  offsets.assign(1, 0);
}

void SeenRows::add(std::span<const int32_t> seen) {
  rows.insert(rows.end(), seen.begin(), seen.end());
  offsets.push_back(static_cast<int32_t>(rows.size()));
}

void KvRows::write(const Tensor& k, const Tensor& v, std::span<const int32_t> at, int64_t capacity,
                   DType type) {
  write_rows(keys, k, at, capacity, type);
  write_rows(values, v, at, capacity, type);
}

Tensor cached_attention(const Tensor& q, const KvRows& kept, const SeenRows& seen,
                        kernels::CachedAttention call) {
  const int64_t groups = call.key_heads == 0 ? call.heads : call.key_heads;
  Tensor out = Tensor::empty({q.rows(), call.heads * (kept.values.cols() / groups)}, q.dtype());
  call.q = q;
  call.out = out;
  call.keys = kept.keys;
  call.values = kept.values;
  call.rows = seen.rows;
  call.offsets = seen.offsets;
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

KvCache::KvCache(int64_t layers, int64_t places, DType type)
    : type_(type), layers_(static_cast<size_t>(layers)), places_(static_cast<size_t>(places)) {}

void KvCache::enter(std::span<const int32_t> places, std::span<const int32_t> offsets) {
  entered_.clear();
  entered_places_.assign(places.begin(), places.end());
  for (size_t i = 0; i < places.size(); ++i) {
    Place& place = places_.at(static_cast<size_t>(places[i]));
    leave(place);
    place.is_taken = true;
    for (int32_t row = offsets[i]; row < offsets[i + 1]; ++row) {
      place.source.push_back(free_sources_.take());
    }
    entered_.insert(entered_.end(), place.source.begin(), place.source.end());
  }
}

void KvCache::release(std::span<const int32_t> places) {
  for (const int32_t place : places) leave(places_.at(static_cast<size_t>(place)));
}

void KvCache::leave(Place& place) {
  free_steps_.give(place.steps);
  free_sources_.give(place.source);
  place = {};
}

void KvCache::drop_unseen(Place& place, int64_t count) {
  if (count == 0) return;
  is_seen_.resize(static_cast<size_t>(free_steps_.capacity()), false);
  const int64_t end = self_.offsets.back();
  const int64_t begin = self_.offsets[self_.offsets.size() - 1 - static_cast<size_t>(count)];
  const auto seen = std::span(self_.rows).subspan(begin, end - begin);
  for (const int32_t row : seen) is_seen_[row] = true;
  const auto unseen = std::stable_partition(place.steps.begin(), place.steps.end(),
                                            [&](int32_t row) { return is_seen_[row]; });
  free_steps_.give({unseen, place.steps.end()});
  place.steps.erase(unseen, place.steps.end());
  for (const int32_t row : seen) is_seen_[row] = false;
}

void KvCache::begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts) {
  auto rows = std::make_shared<ops::Rows>();
  rows->offsets.push_back(0);
  std::swap(self_, before_);
  self_.clear();
  memory_.clear();
  own_.clear();
  for (size_t p = 0; p < counts.size(); ++p) {
    Place& place = places_.at(p);
    if (counts[p] == 0 && place.is_taken) leave(place);
    for (int32_t i = 0; i < counts[p]; ++i) {
      const size_t w = own_.size();
      if (w >= parents.size() || !place.is_taken) {
        fail<ShapeError>("kv cache", "{} rows for place {} and {} parents", counts[p], p,
                         parents.size());
      }
      own_.push_back(free_steps_.take());
      place.steps.push_back(own_.back());
      if (parents[w] >= 0) {
        const auto seen = before_.of(parents[w]);
        self_.rows.insert(self_.rows.end(), seen.begin(), seen.end());
      }
      rows->position.push_back(static_cast<int32_t>(self_.rows.size()) - self_.offsets.back());
      self_.add({&own_.back(), 1});
      memory_.add(place.source);
      rows->sentence.push_back(static_cast<int32_t>(p));
    }
    rows->offsets.push_back(static_cast<int32_t>(own_.size()));
    drop_unseen(place, counts[p]);
  }
  if (own_.size() != parents.size()) {
    fail<ShapeError>("kv cache", "{} rows for {} parents", own_.size(), parents.size());
  }
  parents_.assign(parents.begin(), parents.end());
  rows_ = std::move(rows);
}

void KvCache::begin_state(const Tensor& states) {
  Tensor& initial = layers_[current].initial;
  if (!initial) initial = Tensor::zeros({std::ssize(places_), states.cols()}, states.dtype());
  check_shape("kv cache", "states", states, std::ssize(entered_places_), initial.cols());
  backend_of(states)(
      kernels::ScatterRows{.x = states, .index = entered_places_.data(), .y = initial});
}

Tensor KvCache::continue_state(int64_t cols, DType dtype) const {
  const Layer& at = layers_[current];
  const auto count = std::ssize(parents_);
  if (at.initial) check_shape("kv cache", "initial", at.initial, -1, cols);
  const bool any_goes_on = std::ranges::any_of(parents_, [](int32_t p) { return p >= 0; });
  Tensor out;
  if (any_goes_on) {
    check_shape("kv cache", "state", at.state, -1, cols);
    out = Tensor::empty({count, cols}, dtype);
    backend_of(out)(kernels::GatherRows{.x = at.state, .index = parents_.data(), .y = out});
  } else {
    out = Tensor::zeros({count, cols}, dtype);
  }
  for (int64_t w = 0; at.initial && w < count; ++w) {
    if (parents_[w] >= 0) continue;
    const int64_t place = rows_->sentence[w];
    backend_of(out)(
        kernels::Copy{.x = at.initial.row_range(place, place + 1), .y = out.row_range(w, w + 1)});
  }
  return out;
}

float* KvCache::memory_weights() {
  if (watched_ == nullptr || current + 1 != layers_.size()) return nullptr;
  watched_->resize(memory_.rows.size());
  return watched_->data();
}

void KvCache::write_self(const Tensor& k, const Tensor& v) {
  layers_[current].self.write(k, v, own_, free_steps_.capacity(), type_);
}

void KvCache::write_groups(std::span<const int32_t> groups, int64_t marks) {
  Layer& at = layers_[current];
  if (std::ssize(groups) != std::ssize(own_) * marks) {
    fail<ShapeError>("kv cache", "{} marks for {} rows of {}", groups.size(), own_.size(), marks);
  }
  at.marks = marks;
  at.groups.resize(static_cast<size_t>(free_steps_.capacity() * marks));
  for (size_t w = 0; w < own_.size(); ++w) {
    std::copy_n(groups.begin() + static_cast<int64_t>(w) * marks, marks,
                at.groups.begin() + own_[w] * marks);
  }
}

void KvCache::write_memory(const Tensor& k, const Tensor& v) {
  layers_[current].memory.write(k, v, entered_, free_sources_.capacity(), type_);
}

}  // namespace weft::nn
