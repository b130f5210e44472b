// Row-major shapes of one to four dimensions.
#ifndef WEFT_CORE_SHAPE_H_
#define WEFT_CORE_SHAPE_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "weft/core/error.h"

namespace weft {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : rank_(static_cast<int>(dims.size())) {
    if (dims.size() > dims_.size()) fail<ShapeError>("shape", "rank {} over 4", dims.size());
    int i = 0;
    for (const int64_t d : dims) {
      if (d < 0) fail<ShapeError>("shape", "dimension {} is negative: {}", i, d);
      dims_[i++] = d;
    }
  }

  int rank() const { return rank_; }
  int64_t operator[](int i) const { return dims_[i < 0 ? i + rank_ : i]; }
  int64_t size() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  // The last dimension, and the product of all before it.
  int64_t cols() const { return rank_ == 0 ? 1 : dims_[rank_ - 1]; }
  int64_t rows() const {
    int64_t n = 1;
    for (int i = 0; i + 1 < rank_; ++i) n *= dims_[i];
    return n;
  }
  bool operator==(const Shape& other) const = default;

  // "[4, 128]"
  std::string text() const;

 private:
  std::array<int64_t, 4> dims_{};
  int rank_ = 0;
};

}  // namespace weft

#endif  // WEFT_CORE_SHAPE_H_
