// Every kernel, once, as an interface: `ref` (naive loops, float and double) and `cpu` (SIMD and
// oneDNN) implement it. Views in, views out; no tensor, no tape, no allocation that outlives a
// call. Shapes are the caller's duty: ops check them before they come here. Unless said otherwise
// every view of a call has the dtype of x, and outputs are overwritten. Element by element, and in
// softmax, norms and dropout, an output may be its own input; elsewhere only where that is said.
// Where x is BF16, what sums up over rows is F32: statistics, log sums, losses and gradients of
// parameters; arithmetic is done in F32. Not for BF16 are softmax, log_softmax and their gradients,
// sinkhorn, row_argmax, sum_of_squares, quantise_rows, ctc, and the queries of cached_attention and
// linear_attention_step.
#ifndef WEFT_KERNELS_BACKEND_H_
#define WEFT_KERNELS_BACKEND_H_

#include <span>
#include <string_view>

#include "weft/kernels/attention.h"
#include "weft/kernels/linear_attention.h"
#include "weft/kernels/packed.h"
#include "weft/kernels/recurrent.h"
#include "weft/kernels/view.h"

namespace weft::kernels {

enum class Activation {
  kNone,
  kRelu,
  kGelu,  // exact, by erf
  kSilu,
  kTanh,
  kSigmoid,
  kEluPlusOne,  // x + 1 for x > 0, else e^x: positive everywhere
};

// C = act(op(A) op(B) + beta C + bias); beta is 0 or 1; bias [1, n] or empty.
// op(A) is [m, k], op(B) is [k, n]; `transpose_a` says that A is stored [k, m].
struct Gemm {
  View a, b, c;
  bool transpose_a = false;
  bool transpose_b = false;
  float beta = 0;
  View bias = {};
  Activation activation = Activation::kNone;
};

// y = act(x W^T + bias) for rows x [M, K] (F32) and packed weights W; y [M, D_out] and the bias
// [1, D_out] are F32. The weights may come in several parts of K columns, whose rows follow each
// other and whose types may differ. A row of x goes in rounded to BF16 where the weights are BF16;
// where they are I8, as integers, quantised like a row of weights:
//   y = act(float(sum of products) * (scale of x * scale of w) + bias).
// A row of y does not depend on the number of rows.
struct PackedProduct {
  View x;
  std::span<const Packed> weights;
  View bias = {};
  Activation activation = Activation::kNone;
  View y = {};
};

// Adam (Kingma and Ba 2015) with decoupled weight decay (AdamW, Loshchilov and Hutter 2019), and
// the moving average of the weights in the same pass. Flat buffers of n floats.
struct Adam {
  float* weights;
  const float* gradient;
  float* first;  // moments
  float* second;
  float* average;           // exponential moving average of the weights, or null
  BF16* rounded = nullptr;  // receives the new weights as BF16
  int64_t n;
  float gradient_scale;  // clipping
  float learn_rate;      // with bias correction of the first moment folded in
  float beta1, beta2, epsilon;
  float second_correction;  // 1 / (1 - beta2^t)
  float weight_decay;       // learn rate times decay
  float average_decay;      // average = decay * average + (1 - decay) * weights
};

// Layer norm (Ba et al. 2016): y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each
// row; x [N, D], gamma and beta [1, D]. stats [N, 2] keeps mean and 1 / sqrt(variance + epsilon).
struct Norm {
  View x, gamma, beta;
  double epsilon = 1e-5;
  View y, stats;
};

// d_x is overwritten, d_gamma and d_beta are added to.
struct NormGradient {
  View x, gamma, stats, d_y;
  View d_x, d_gamma, d_beta;
};

// The sublayer connection in one pass: h = residual_scale * residual + dropout(x), and y is the
// layer norm of h, or, where beta is empty, its rms norm. h may be x.
struct ResidualNorm {
  Dropout dropout;
  View x, residual, gamma, beta;
  double epsilon = 1e-5;
  View h, y, stats;
  double residual_scale = 1;
};

// The gradients of batch_norm. Where `is_fixed`, mean and variance were given from elsewhere; else
// they are those of x, and gradients flow through them. d_x is overwritten, d_gamma and d_beta are
// added to.
struct BatchNormGradient {
  View x, gamma, stats, d_y;  // stats [2, D]
  double epsilon = 1e-5;
  bool is_fixed = false;
  View d_x, d_gamma, d_beta;
};

// How far a distribution p is from its target t: cross-entropy -sum t log p; KL divergence, the
// same less the target's entropy; the Euclidean distance |p - t|, and its square.
enum class LossKind { kCrossEntropy, kKl, kEuclidean, kSquaredEuclidean };

// The loss of a chunk of logits x [n, V] against label-smoothed targets (Szegedy et al. 2016): with
// t = (1 - smoothing) onehot(target) + smoothing / V and p = softmax(x_i), loss[i] is what `kind`
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
  View d_x;
  LossKind kind = LossKind::kCrossEntropy;
  const float* row_weights = nullptr;  // [n]; null: 1 each
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
  View d_x, d_z;
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
  View d_log_p;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;
  // Whether training in this type has kernels here that are worth it.
  virtual bool is_fast_in(DType type) const = 0;

  // --- products
  virtual void gemm(const Gemm& g) const = 0;

  // Lays out weights w (F32, BF16 or I8) as the panels of a Packed, zeros included: packed_bytes()
  // at a multiple of 64 bytes. Of I8 also the sums, one for each row of whole panels; else null.
  virtual void pack(View w, void* panels, int32_t* sums) const = 0;
  // q[i] = round(w[i] * (127 / max|w[i]|)) with scale[i] = max|w[i]| / 127 for each row of w (F32);
  // q is I8. A row whose largest is below 1e-30 has the scale 0; one with infinities or NaN, NaN.
  virtual void quantise_rows(View w, View q, float* scales) const = 0;
  virtual void packed_product(const PackedProduct& p) const = 0;
  // y[n] = scale * row ids[n] of the weights + sinusoid(position[n]), as `embedding` below; F32.
  virtual void packed_embedding(const Packed& table, const int32_t* ids, double scale,
                                const int32_t* position, View y) const = 0;

  // --- elementwise, [N, D]
  virtual void fill(View y, double value) const = 0;
  virtual void copy(View x, View y) const = 0;  // converts between dtypes
  virtual void scatter_rows(View x, const int32_t* at,
                            View y) const = 0;  // y[at[n]] = x[n], as copy
  // y[n] = x[at[n]]; zeros where at[n] is negative.
  virtual void gather_rows(View x, const int32_t* at, View y) const = 0;
  virtual void add(View x, View z, View y) const = 0;
  virtual void multiply(View x, View z, View y) const = 0;
  virtual void divide(View x, View z, View y) const = 0;
  virtual void scale(double alpha, View x, View y) const = 0;
  virtual void accumulate(double alpha, View x, View y) const = 0;  // y += alpha x
  virtual void activation(Activation kind, View x, View y) const = 0;
  // d_x = d_y * act'(x), x before the activation.
  virtual void d_activation(Activation kind, View x, View d_y, View d_x) const = 0;
  // y [N, F] = act(x[:, :F]) * x[:, F:] of x [N, 2F] (gated units, Shazeer 2020).
  virtual void gate(Activation kind, View x, View y) const = 0;
  virtual void d_gate(Activation kind, View x, View d_y, View d_x) const = 0;
  virtual void dropout(const Dropout& d, View x, View y) const = 0;  // its own backward
  // y[n] = factors[n] * x[n]; a row whose factor is 0 becomes 0, whatever it was.
  virtual void scale_rows(View x, const float* factors, View y) const = 0;

  // --- reductions; fixed order, so that thread counts do not change a bit
  virtual void column_sum(View x, View y) const = 0;          // y [1, D] += sum over rows of x
  virtual double sum_of_squares(View x) const = 0;            // in double
  virtual void row_argmax(View x, int32_t* index) const = 0;  // first of equals

  // --- rows [N, V]
  virtual void softmax(View x, View y) const = 0;
  virtual void d_softmax(View y, View d_y, View d_x) const = 0;
  virtual void log_softmax(View x, View y) const = 0;
  virtual void d_log_softmax(View y, View d_y, View d_x) const = 0;
  // Of each matrix [m, m] of x [B*m, m]: exp(x), whose rows are divided by their sums and then its
  // columns by theirs, `steps` times, 1 at least (Sinkhorn 1964).
  virtual void sinkhorn(int64_t steps, View x, View y) const = 0;
  virtual void d_sinkhorn(int64_t steps, View x, View d_y, View d_x) const = 0;

  // --- normalisation
  virtual void layer_norm(const Norm& n) const = 0;
  virtual void d_layer_norm(const NormGradient& g) const = 0;
  virtual void residual_norm(const ResidualNorm& r) const = 0;
  // y = x / sqrt(mean(x^2) + epsilon) * gamma over each row (Zhang and Sennrich 2019); stats [N, 1]
  // keeps the reciprocal. No beta, no d_beta.
  virtual void rms_norm(const Norm& n) const = 0;
  virtual void d_rms_norm(const NormGradient& g) const = 0;
  // stats [2, D]: mean and variance, without correction, of each column of x.
  virtual void column_moments(View x, View stats) const = 0;
  // y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over each column, with the mean and
  // variance that stats [2, D] gives (Ioffe and Szegedy 2015).
  virtual void batch_norm(const Norm& n) const = 0;
  virtual void d_batch_norm(const BatchNormGradient& g) const = 0;

  // --- tables
  // y[n] = scale * table[ids[n]] + sinusoid(position[n]) where `position` is not null
  // (Vaswani et al. 2017: even features sin, odd ones cos, interleaved, base 10000).
  virtual void embedding(View table, const int32_t* ids, double scale, const int32_t* position,
                         View y) const = 0;
  // d_table[ids[n]] += scale * d_y[n], in the order of n.
  virtual void d_embedding(const int32_t* ids, double scale, View d_y, View d_table) const = 0;

  // --- attention
  virtual void attention(const Attention& a) const = 0;
  virtual void d_attention(const AttentionGradient& g) const = 0;
  virtual void cached_attention(const CachedAttention& a) const = 0;
  virtual void linear_attention(const LinearAttention& a) const = 0;
  virtual void d_linear_attention(const LinearAttentionGradient& g) const = 0;
  virtual void linear_attention_step(const LinearAttentionStep& s) const = 0;
  // p = function(s) in each row, a key with the score -inf not being seen; p may be s.
  virtual void score_weights(ScoreFunction function, View s, View p) const = 0;
  // d_s from p and its gradient; d_s may be d_p.
  virtual void d_score_weights(ScoreFunction function, View s, View p, View d_p,
                               View d_s) const = 0;
  // y may be x.
  virtual void rotary(const Rotary& r, View x, View y) const = 0;
  virtual void additive_attention(const AdditiveAttention& a) const = 0;
  virtual void d_additive_attention(const AdditiveAttentionGradient& g) const = 0;

  // --- recurrence
  virtual void cell(const Cell& c) const = 0;
  virtual void d_cell(const CellGradient& g) const = 0;

  // --- loss
  virtual void cross_entropy(const SoftmaxLoss& l) const = 0;
  virtual void divergence(const Divergence& d) const = 0;
  virtual void ctc(const Ctc& c) const = 0;

  // --- optimiser
  virtual void adam(const Adam& a) const = 0;
};

const Backend& ref_backend();
const Backend& cpu_backend();
// "cpu" or "ref"; throws OptionError for another name.
const Backend& backend_named(std::string_view name);
// The one the environment variable WEFT_BACKEND names, cpu where it is not set; chosen once. While
// a profile is taken it tells of its calls (core/profile.h).
const Backend& default_backend();

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_BACKEND_H_
