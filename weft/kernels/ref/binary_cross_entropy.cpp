#include "weft/kernels/ref/binary_cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "weft/core/error.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {
namespace {

// -log sigmoid(s), and its derivative -sigmoid(-s).
struct LogSigmoid {
  double loss, slope;

  explicit LogSigmoid(double s) {
    const double small = std::exp(-std::abs(s));  // at most 1
    loss = std::max(-s, 0.0) + std::log1p(small);
    slope = -(s >= 0 ? small : 1) / (1 + small);
  }
};

template <class T>
void row_loss(const BinaryCrossEntropy& call, int64_t n) {
  const T* x = call.x.as<T>().row(n);
  T* d_x = call.d_x ? call.d_x.as<T>().row(n) : nullptr;
  std::vector<bool> has_label(static_cast<size_t>(call.x.cols), false);
  for (int32_t i = call.offsets[n]; i < call.offsets[n + 1]; ++i) has_label[call.labels[i]] = true;
  const double weight = call.weight * (call.row_weights == nullptr ? 1 : call.row_weights[n]);
  double sum = 0;
  for (int64_t c = 0; c < call.x.cols; ++c) {
    const bool is_there = has_label[c];
    const bool is_weighted = is_there && call.positive_weights != nullptr;
    const double of_label = is_weighted ? call.positive_weights[c] : 1;
    const LogSigmoid term(is_there ? convert<double>(x[c]) : -convert<double>(x[c]));
    sum += of_label * term.loss;
    if (d_x != nullptr) {
      d_x[c] = convert<T>(weight * of_label * (is_there ? term.slope : -term.slope));
    }
  }
  call.loss[n] = sum;
}

}  // namespace

void binary_cross_entropy(const BinaryCrossEntropy& call, int64_t n) {
  switch (call.x.dtype) {
    case DType::kF32: return row_loss<float>(call, n);
    case DType::kF64: return row_loss<double>(call, n);
    case DType::kBF16: return row_loss<BF16>(call, n);
    default:
      fail<ShapeError>("binary_cross_entropy", "no kernel for {}; expected F32, F64 or BF16",
                       name_of(call.x.dtype));
  }
}

void run(const BinaryCrossEntropy& call) {
  for (int64_t n = 0; n < call.x.rows; ++n) binary_cross_entropy(call, n);
}

}  // namespace weft::kernels::ref
