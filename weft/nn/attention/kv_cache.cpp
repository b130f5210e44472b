#include "weft/nn/attention/kv_cache.h"

#include <algorithm>

namespace weft::nn {
namespace {

// Steps a slab is made for at first; it doubles when they are used up.
constexpr int64_t kFirstSteps = 32;

void write_rows(Tensor& slabs, const Tensor& rows, int64_t step, int64_t slab_rows) {
  const int64_t begin = step * slab_rows;
  if (!slabs || begin + slab_rows > slabs.rows()) {
    const int64_t steps = slabs ? slabs.rows() / slab_rows * 2 : kFirstSteps;
    Tensor larger = Tensor::empty({steps * slab_rows, rows.cols()}, rows.dtype());
    if (slabs) backend_of(slabs).copy(slabs, larger.row_range(0, slabs.rows()));
    slabs = larger;
  }
  backend_of(rows).copy(rows, slabs.row_range(begin, begin + rows.rows()));
}

}  // namespace

KvCache::KvCache(int64_t layer_count, int64_t max_rows)
    : layers(static_cast<size_t>(layer_count)), max_rows_(max_rows) {}

void KvCache::begin_step(std::span<const int32_t> parents, std::span<const int32_t> counts) {
  const auto width = static_cast<int64_t>(parents.size());
  auto rows = std::make_shared<ops::Rows>();
  rows->offsets.push_back(0);
  for (size_t s = 0; s < counts.size(); ++s) {
    rows->offsets.push_back(rows->offsets.back() + counts[s]);
    rows->sentence.insert(rows->sentence.end(), static_cast<size_t>(counts[s]),
                          static_cast<int32_t>(s));
  }
  if (rows->count() != width || width > max_rows_) {
    fail<ShapeError>("kv cache", "{} rows in {} sentences; expected {}, at most {}", width,
                     counts.size(), rows->count(), max_rows_);
  }
  ++step_;
  rows->position.assign(parents.size(), static_cast<int32_t>(step_));
  std::vector<int32_t> next(static_cast<size_t>((step_ + 1) * width));
  for (int64_t t = 0; t < step_; ++t) {
    for (int64_t w = 0; w < width; ++w) {
      next[static_cast<size_t>(t * width + w)] =
          ancestors_[static_cast<size_t>(t * width_ + parents[static_cast<size_t>(w)])];
    }
  }
  for (int64_t w = 0; w < width; ++w) {
    next[static_cast<size_t>(step_ * width + w)] = static_cast<int32_t>(w);
  }
  ancestors_ = std::move(next);
  width_ = width;
  rows_ = std::move(rows);
}

void KvCache::append(Layer& layer, const Tensor& k, const Tensor& v) {
  write_rows(layer.keys, k, step_, max_rows_);
  write_rows(layer.values, v, step_, max_rows_);
}

}  // namespace weft::nn
