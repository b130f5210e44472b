#include "weft/nn/attention/row_pool.h"

#include <algorithm>
#include <bit>

namespace weft::nn {
namespace {

constexpr uint64_t kAllRows = ~uint64_t{0};

}  // namespace

void RowPool::add_page() {
  free_.push_back(kAllRows);
  holders_.resize(holders_.size() + kPageRows, 0);
}

size_t RowPool::free_page() const {
  const auto found =
      std::find(free_.begin() + static_cast<std::ptrdiff_t>(first_), free_.end(), kAllRows);
  return static_cast<size_t>(found - free_.begin());
}

void RowPool::take_page(size_t page, std::vector<int32_t>& out) {
  if (page == free_.size()) add_page();
  free_[page] = 0;
  const auto first = static_cast<int32_t>(page << kPageBits);
  for (int32_t row = first; row < first + kPageRows; ++row) {
    holders_[row] = 1;
    out.push_back(row);
  }
  held_ += kPageRows;
}

void RowPool::take_one(std::vector<int32_t>& out) {
  while (first_ < free_.size() && free_[first_] == 0) ++first_;
  if (first_ == free_.size()) add_page();
  uint64_t& free = free_[first_];
  const auto row = static_cast<int32_t>(first_ << kPageBits) + std::countr_zero(free);
  free &= free - 1;
  holders_[row] = 1;
  out.push_back(row);
  ++held_;
}

void RowPool::take(int64_t count, std::vector<int32_t>& out) {
  for (; count >= kPageRows; count -= kPageRows) take_page(free_page(), out);
  for (; count > 0; --count) take_one(out);
}

void RowPool::hold(std::span<const int32_t> rows) {
  for (const int32_t row : rows) ++holders_[row];
}

void RowPool::release(std::span<const int32_t> rows) {
  for (const int32_t row : rows) {
    if (--holders_[row] > 0) continue;
    const auto page = static_cast<size_t>(row >> kPageBits);
    free_[page] |= uint64_t{1} << (row & (kPageRows - 1));
    first_ = std::min(first_, page);
    --held_;
  }
}

}  // namespace weft::nn
