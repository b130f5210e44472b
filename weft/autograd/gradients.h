// The gradients of parameters, and of watched tensors, that backward passes add to.
#ifndef WEFT_AUTOGRAD_GRADIENTS_H_
#define WEFT_AUTOGRAD_GRADIENTS_H_

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::autograd {

// Tensor::node of a value that does not require a gradient, and of a parameter: a view into the
// flat parameter buffer, whose gradient stands at the same place of the flat gradient.
inline constexpr int32_t kConstant = -1;
inline constexpr int32_t kParameter = -2;

// The gradients of one or more backward passes. Those of parameters lie in one flat buffer, the
// twin of the parameters'; passing the same object to several passes adds them up. Not thread-safe:
// reading writes the zeros that clear() owes.
class Gradients {
 public:
  Gradients() = default;
  Gradients(Gradients&&) = default;
  Gradients& operator=(Gradients&&) = default;
  // Zeros for `parameters`, the flat buffer [P]; F32 for BF16 parameters. What no pass writes, such
  // as gradients of frozen parameters, takes no memory.
  explicit Gradients(const Tensor& parameters);

  // May be read until the next pass or clear(), or with settle() during a pass.
  const Tensor& flat() const;
  // Says that all of flat() may have been written, as by a sum over processes.
  void mark_written() { written_ = {{0, flat_.size()}}; }
  // Sets those of elements [begin, end) of the flat buffer that passes wrote to zero.
  void clear_range(int64_t begin, int64_t end);
  // Of flat(), in double. Large parts that no pass wrote, such as the rows of a table for tokens
  // that did not occur, are not read.
  double sum_of_squares() const;
  // The gradient of a parameter or of a watched tensor; throws Error for any other.
  Tensor of(const Tensor& x) const;
  // Zeros, and forgets watched tensors. The zeros are written by settle(), and only where the next
  // pass has not overwritten what was there.
  void clear();
  // Writes the zeros that clear() owes to elements [begin, end) of the flat buffer.
  void settle(int64_t begin, int64_t end) const;

 private:
  friend class Tape;
  friend class Backward;
  // The gradient of parameter [begin, ...) for a pass that adds to it, or overwrites it if `fresh`.
  Tensor target(int64_t begin, Shape shape, bool& fresh);
  // The gradient of a matrix for a pass that adds to the listed rows; zeros that are owed to any of
  // its rows are written.
  Tensor target_rows(int64_t begin, Shape shape, std::span<const int32_t> rows);
  bool has_parameters() const { return bool{flat_}; }
  Tensor at(int64_t begin, Shape shape) const;

  Tensor parameters_;
  Tensor flat_;
  std::vector<std::pair<int64_t, int64_t>> written_;  // elements [begin, end) since clear()
  // What clear() owes zeros: disjoint ranges, from begin to end.
  mutable std::map<int64_t, int64_t> stale_;
  std::vector<std::pair<int32_t, Tensor>> watched_;
};

}  // namespace weft::autograd

#endif  // WEFT_AUTOGRAD_GRADIENTS_H_
