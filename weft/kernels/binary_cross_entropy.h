// Binary cross-entropy, the loss of multi-label classification.
#ifndef WEFT_KERNELS_BINARY_CROSS_ENTROPY_H_
#define WEFT_KERNELS_BINARY_CROSS_ENTROPY_H_

#include <span>
#include <string_view>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// For logits x [N, C] (F32, BF16 or F64), p = sigmoid(x), and y = 1 for the labels of a row, else
// 0:
//   loss[n] = sum_c -w_c y log p - (1 - y) log(1 - p).
// Row n has the distinct labels labels[offsets[n]..offsets[n + 1]). d_x, unless empty, receives
// weight * row_weights[n] * the gradient of loss[n]; d_x may be x.
struct BinaryCrossEntropy {
  View x;
  std::span<const int32_t> labels;
  std::span<const int32_t> offsets;         // [N + 1]
  const float* positive_weights = nullptr;  // w [C]; null: all 1
  const float* row_weights = nullptr;       // [N]; null: all 1
  double weight = 1;
  double* loss = nullptr;  // [N]
  View d_x = {};

  static constexpr std::string_view kName = "binary cross-entropy";
  Cost cost() const { return {0, bytes_of({x, d_x})}; }
};

namespace ref {
void run(const BinaryCrossEntropy& call);
}
// Parallel over rows.
namespace cpu {
void run(const BinaryCrossEntropy& call);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_BINARY_CROSS_ENTROPY_H_
