// Rows of a cache of keys or values.
#ifndef WEFT_KERNELS_PAGED_ROWS_H_
#define WEFT_KERNELS_PAGED_ROWS_H_

#include <cstring>
#include <span>

#include "weft/kernels/view.h"

namespace weft::kernels {

// Rows in pages of 2^page_bits rows, all of one shape and type; a single page may have any number
// of rows. F32, F64, BF16, or I8: then each of the row's heads has a scale, an F32 behind the row's
// columns on a multiple of 4 bytes, and x = scale * value.
struct PagedRows {
  std::span<const View> pages;
  int page_bits = 31;

  PagedRows() = default;
  PagedRows(std::span<const View> all, int bits) : pages(all), page_bits(bits) {}
  // One page, which has to outlive this.
  PagedRows(const View& page) : pages(&page, 1) {}

  DType dtype() const { return pages.empty() ? DType::kF32 : pages.front().dtype; }
  template <class T>
  T* row(int64_t i) const {
    const View& page = pages[static_cast<size_t>(i >> page_bits)];
    return page.as<T>().row(i & ((int64_t{1} << page_bits) - 1));
  }
  View row_view(int64_t i) const {
    const int64_t row = i & ((int64_t{1} << page_bits) - 1);
    return pages[static_cast<size_t>(i >> page_bits)].range(row, row + 1);
  }
  // Where the scales of a row of `cols` columns begin, and how many bytes it takes.
  static constexpr int64_t scales_begin(int64_t cols) { return (cols + 3) / 4 * 4; }
  static constexpr int64_t int8_bytes(int64_t cols, int64_t heads) {
    return scales_begin(cols) + 4 * heads;
  }
  static float scale_of(const int8_t* row, int64_t cols, int64_t head) {
    float scale;
    std::memcpy(&scale, row + scales_begin(cols) + 4 * head, sizeof scale);
    return scale;
  }
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_PAGED_ROWS_H_
