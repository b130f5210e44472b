// Losses and their gradients.
#ifndef WEFT_KERNELS_LOSS_H_
#define WEFT_KERNELS_LOSS_H_

#include <span>

#include "weft/kernels/cost.h"

namespace weft::kernels {

// The loss of a distribution p with target t: cross-entropy -sum t log p; KL divergence, which is
// the cross-entropy minus the entropy of t; Euclidean distance |p - t|; squared Euclidean distance.
enum class LossKind { kCrossEntropy, kKl, kEuclidean, kSquaredEuclidean };

// The loss of a chunk of logits x [n, V] against label-smoothed targets (Szegedy et al. 2016): with
// t = (1 - smoothing) onehot(target) + smoothing / V and p = softmax(x_i), loss[i] is the loss of
// `kind`, by default -sum_v t_v log p_v, and nll[i] is -log p_target. d_x, unless empty, receives
// weight * row_weights[i] * the gradient of loss[i]; d_x may be x. The gradient of a distance of 0
// is 0.
struct SoftmaxLoss {
  View x;
  const int32_t* targets;
  double smoothing = 0;
  double weight = 1;
  double* loss;
  double* nll;
  View d_x = {};
  LossKind kind = LossKind::kCrossEntropy;
  const float* row_weights = nullptr;  // [n]; null: all 1
  static constexpr std::string_view kName = "cross_entropy";
  Cost cost() const { return {0, bytes_of({x, d_x})}; }
};

// KL divergence of softmax(x_i / T) from softmax(z_i / T), with logits x and z [n, V]:
//   loss[i] = sum_v t_v (log t_v - log p_v),  p = softmax(x_i / T),  t = softmax(z_i / T).
// weight * row_weights[i] * the gradient is accumulated into d_x and d_z, unless empty.
struct Divergence {
  View x, z;
  double temperature = 1;
  double weight = 1;
  const float* row_weights = nullptr;  // [n]; null: all 1
  double* loss;
  View d_x = {}, d_z = {};
  static constexpr std::string_view kName = "divergence";
  Cost cost() const { return {0, bytes_of({x, z, d_x, d_z})}; }
};

// Connectionist temporal classification (Graves et al. 2006): loss[b] is -log of the total
// probability of the paths over sequence b's rows of log_p [N, V] that give its labels after
// merging repeats and removing blanks; infinite if there is none. d_log_p, unless empty, receives
// weight * the gradient, 0 for sequences with infinite loss.
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
