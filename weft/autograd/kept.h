// What ops keep of their inputs until backward.
#ifndef WEFT_AUTOGRAD_KEPT_H_
#define WEFT_AUTOGRAD_KEPT_H_

#include <utility>

#include "weft/tensor/tensor.h"

namespace weft::autograd {

// A recorded op that can make its output again, bit by bit, of what it keeps anyway. Ops behind it
// then need not keep that output (selective recomputation, Korthikanti et al. 2022, arXiv
// 2205.05198). A class to derive from for what is given to Tape::record(), with the number of the
// output as kAgain.
class Remaker {
 public:
  // Made at the first call, held until the op has run back.
  const Tensor& again() {
    if (!value_) value_ = make();
    return value_;
  }

 protected:
  ~Remaker() = default;

 private:
  virtual Tensor make() const = 0;
  Tensor value_;
};

// The value itself, or who makes it again.
class Kept {
 public:
  explicit Kept(Tensor value) : value_(std::move(value)) {}
  explicit Kept(Remaker& maker) : maker_(&maker) {}

  const Tensor& get() const { return maker_ != nullptr ? maker_->again() : value_; }

 private:
  Tensor value_;
  Remaker* maker_ = nullptr;
};

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_KEPT_H_
