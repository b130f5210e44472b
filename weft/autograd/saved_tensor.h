// What ops save of their inputs for backward.
#ifndef WEFT_AUTOGRAD_SAVED_TENSOR_H_
#define WEFT_AUTOGRAD_SAVED_TENSOR_H_

#include <utility>

#include "weft/tensor/tensor.h"

namespace weft::autograd {

// A recorded op that can recompute an output, bit by bit, from what it saves in any case. Ops that
// use that output then need not save it (selective recomputation, Korthikanti et al. 2022, arXiv
// 2205.05198). A base class for what is given to Tape::record(); its kRecomputed is the number of
// the output.
class Recomputable {
 public:
  // Computed at the first call, held until the op has run back.
  const Tensor& recomputed() {
    if (!value_) value_ = recompute();
    return value_;
  }

 protected:
  ~Recomputable() = default;

 private:
  virtual Tensor recompute() const = 0;
  Tensor value_;
};

// A value, or the op that recomputes it.
class SavedTensor {
 public:
  explicit SavedTensor(Tensor value) : value_(std::move(value)) {}
  explicit SavedTensor(Recomputable& op) : op_(&op) {}

  const Tensor& get() const { return op_ != nullptr ? op_->recomputed() : value_; }

 private:
  Tensor value_;
  Recomputable* op_ = nullptr;
};

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_SAVED_TENSOR_H_
