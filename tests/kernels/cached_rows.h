// The lists of rows that cached attention takes, and matrices of cached rows.
#ifndef WEFT_TESTS_KERNELS_CACHED_ROWS_H_
#define WEFT_TESTS_KERNELS_CACHED_ROWS_H_

#include <span>
#include <vector>

#include "weft/kernels/elementwise.h"

namespace weft::kernels::test {

// Parts of `all`: part w is all[offsets[w]..offsets[w + 1]).
template <class T>
std::vector<std::span<const T>> parts(const std::vector<T>& all,
                                      const std::vector<int32_t>& offsets) {
  std::vector<std::span<const T>> out;
  for (size_t w = 0; w + 1 < offsets.size(); ++w) {
    out.push_back(std::span(all).subspan(offsets[w], offsets[w + 1] - offsets[w]));
  }
  return out;
}

// Where each part begins.
inline std::vector<float*> beginnings(std::vector<float>& all,
                                      const std::vector<int32_t>& offsets) {
  std::vector<float*> out;
  for (size_t w = 0; w + 1 < offsets.size(); ++w) out.push_back(all.data() + offsets[w]);
  return out;
}

// The rows of x in pages of four, as `type`.
class PagedCopy {
 public:
  PagedCopy(const View& x, DType type, int64_t heads) {
    const int64_t cols = type == DType::kI8 ? PagedRows::int8_bytes(x.cols, heads) : x.cols;
    const int64_t count = (x.rows + 3) / 4;
    memory_.resize(static_cast<size_t>(4 * count * cols) * size_of(type));
    for (int64_t p = 0; p < count; ++p) {
      std::byte* const first = memory_.data() + static_cast<size_t>(4 * p * cols) * size_of(type);
      pages_.push_back({first, type, 4, cols, cols, 4});
    }
    std::vector<int32_t> index;
    for (int32_t i = 0; i < x.rows; ++i) index.push_back(i);
    ref::run(ScatterRows{.x = x, .index = index.data(), .y = rows(), .heads = heads});
  }
  PagedRows rows() const { return {pages_, 2}; }

 private:
  std::vector<std::byte> memory_;
  std::vector<View> pages_;
};

}  // namespace weft::kernels::test

#endif  // WEFT_TESTS_KERNELS_CACHED_ROWS_H_
