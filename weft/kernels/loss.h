// Losses and their gradients.
#ifndef WEFT_KERNELS_LOSS_H_
#define WEFT_KERNELS_LOSS_H_

#include <span>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// The distance of a distribution p from its target t: cross-entropy -sum t log p; KL divergence,
// the same less the target's entropy; the Euclidean distance |p - t|, and its square.
enum class LossKind { kCrossEntropy, kKl, kEuclidean, kSquaredEuclidean };

// The loss of a chunk of logits x [n, V] against label-smoothed targets (Szegedy et al. 2016): with
// t = (1 - smoothing) onehot(target) + smoothing / V and p = softmax(x_i), loss[i] is as `kind`
// says, by default -sum_v t_v log p_v; nll[i] is -log p_target. Where d_x is not empty it receives
// weight * row_weights[i] * the gradient of loss[i], as in weight * (p - t); d_x may be x. The
// gradient of a distance of 0 is 0.
struct SoftmaxLoss {
  View x;
  const int32_t* targets;
  double smoothing = 0;
  double weight = 1;
  double* loss;
  double* nll;
  View d_x = {};
  LossKind kind = LossKind::kCrossEntropy;
  const float* row_weights = nullptr;  // [n]; null: 1 each
  static constexpr std::string_view kName = "cross_entropy";
  Cost cost() const { return {0, bytes_of({x, d_x})}; }
};

// KL divergence of softmax(x_i / T) from softmax(z_i / T), logits x and z [n, V]:
//   loss[i] = sum_v t_v (log t_v - log p_v),  p = softmax(x_i / T),  t = softmax(z_i / T).
// To d_x and d_z, each where it is not empty, weight * row_weights[i] * the gradient is added.
struct Divergence {
  View x, z;
  double temperature = 1;
  double weight = 1;
  const float* row_weights = nullptr;  // [n]; null: 1 each
  double* loss;
  View d_x = {}, d_z = {};
  static constexpr std::string_view kName = "divergence";
  Cost cost() const { return {0, bytes_of({x, z, d_x, d_z})}; }
};

// Connectionist temporal classification (Graves et al. 2006): loss[b] is -log of the probability
// that a path over sentence b's rows of log_p [N, V] reads as its labels, once repeats are joined
// and blanks left out; infinite where no path can. Where d_log_p is not empty it is overwritten
// with weight * the gradient, 0 for a sentence whose loss is infinite.
struct Ctc {
  View log_p;
  std::span<const int32_t> offsets;  // [B + 1] of rows
  const int32_t* labels;
  std::span<const int32_t> label_offsets;  // [B + 1]
  int32_t blank = 0;
  double weight = 1;
  double* loss;
  View d_log_p = {};
  static constexpr std::string_view kName = "ctc";
  Cost cost() const { return {0, bytes_of({log_p, d_log_p})}; }
};

namespace ref {
// -sum t log t of a label-smoothed target over `classes` classes.
double target_entropy(double smoothing, int64_t classes);
void run(const SoftmaxLoss&), run(const Divergence&), run(const Ctc&);
}  // namespace ref
namespace cpu {
void run(const SoftmaxLoss&), run(const Divergence&), run(const Ctc&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_LOSS_H_
