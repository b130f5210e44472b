// Softmax and log-softmax over rows [N, V]; gradients are computed from the outputs. Sinkhorn
// normalisation of square matrices.
#ifndef WEFT_KERNELS_SOFTMAX_H_
#define WEFT_KERNELS_SOFTMAX_H_

#include "weft/kernels/cost.h"

namespace weft::kernels {

struct Softmax {
  View x, y;
  static constexpr std::string_view kName = "softmax";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

struct SoftmaxBackward {
  View y, d_y, d_x;
  static constexpr std::string_view kName = "d_softmax";
  Cost cost() const { return {0, bytes_of({y, d_y, d_x})}; }
};

struct LogSoftmax {
  View x, y;
  static constexpr std::string_view kName = "log_softmax";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

struct LogSoftmaxBackward {
  View y, d_y, d_x;
  static constexpr std::string_view kName = "d_log_softmax";
  Cost cost() const { return {0, bytes_of({y, d_y, d_x})}; }
};

// For each matrix [m, m] of x [B*m, m]: y = exp(x), then `steps` >= 1 times divides rows by their
// sums and columns by their sums (Sinkhorn 1964).
struct Sinkhorn {
  int64_t steps;
  View x, y;
  static constexpr std::string_view kName = "sinkhorn";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

struct SinkhornBackward {
  int64_t steps;
  View x, d_y, d_x;
  static constexpr std::string_view kName = "d_sinkhorn";
  Cost cost() const { return {0, bytes_of({x, d_y, d_x})}; }
};

namespace ref {
void run(const Softmax&), run(const SoftmaxBackward&), run(const LogSoftmax&),
    run(const LogSoftmaxBackward&), run(const Sinkhorn&), run(const SinkhornBackward&);
}
namespace cpu {
void run(const Softmax&), run(const SoftmaxBackward&), run(const LogSoftmax&),
    run(const LogSoftmaxBackward&), run(const Sinkhorn&), run(const SinkhornBackward&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_SOFTMAX_H_
