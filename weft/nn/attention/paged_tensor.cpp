#include "weft/nn/attention/paged_tensor.h"

#include <algorithm>

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::nn {
namespace {

// A copy with more rows.
Tensor with_rows(const Tensor& x, int64_t rows, int64_t cols, DType type) {
  Tensor larger = Tensor::empty({rows, cols}, type);
  if (x) backend_of(x)(kernels::Copy{.x = x, .y = larger.row_range(0, x.rows())});
  return larger;
}

}  // namespace

void PagedTensor::grow(int64_t cols, int64_t capacity, const RowFormat& format) {
  page_bits_ = format.page_bits;
  if (format.type == DType::kI8) cols = kernels::PagedRows::int8_bytes(cols, format.heads);
  if (page_bits_ == 31) {
    pages_.resize(1);
    const int64_t before = pages_.front() ? pages_.front().rows() : 0;
    if (before >= capacity) return;
    const int64_t rows = std::max(capacity, before + before / 2);
    pages_.front() = with_rows(pages_.front(), rows, cols, format.type);
    views_.assign(1, pages_.front());
    return;
  }
  const int64_t page_rows = int64_t{1} << page_bits_;
  while (std::ssize(pages_) * page_rows < capacity) {
    pages_.push_back(Tensor::empty({page_rows, cols}, format.type));
    views_.push_back(pages_.back());
  }
}

int64_t PagedTensor::bytes() const {
  int64_t out = 0;
  for (const Tensor& page : pages_) out += page.size() * size_of(page.dtype());
  return out;
}

void PagedTensor::write(const Tensor& x, std::span<const int32_t> numbers, int64_t capacity,
                        const RowFormat& format) {
  grow(x.cols(), capacity, format);
  backend_of(x)(
      kernels::ScatterRows{.x = x, .index = numbers.data(), .y = rows(), .heads = format.heads});
}

}  // namespace weft::nn
