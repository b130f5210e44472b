// A matrix of cached rows that grows in pages.
#ifndef WEFT_NN_ATTENTION_PAGED_TENSOR_H_
#define WEFT_NN_ATTENTION_PAGED_TENSOR_H_

#include <span>
#include <vector>

#include "weft/kernels/paged_rows.h"
#include "weft/tensor/tensor.h"

namespace weft::nn {

// How rows are kept.
struct RowFormat {
  DType type = DType::kF32;
  int page_bits = 31;  // 2^page_bits rows a page; 31: one page, which is copied when it grows
  int64_t heads = 1;   // of a row, each with a scale of its own in I8
};

class PagedTensor {
 public:
  // Writes row i of x to row numbers[i], rounded to the format; holds `capacity` rows from then on.
  void write(const Tensor& x, std::span<const int32_t> numbers, int64_t capacity,
             const RowFormat& format);
  kernels::PagedRows rows() const { return {views_, page_bits_}; }
  const Tensor& page(size_t i) const { return pages_[i]; }
  size_t pages() const { return pages_.size(); }
  int64_t bytes() const;

 private:
  void grow(int64_t cols, int64_t capacity, const RowFormat& format);

  std::vector<Tensor> pages_;
  std::vector<kernels::View> views_;  // of the pages
  int page_bits_ = 31;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_PAGED_TENSOR_H_
