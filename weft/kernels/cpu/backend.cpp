#include "weft/kernels/cpu/backend.h"

#include "weft/kernels/cpu/activation.h"
#include "weft/kernels/cpu/adam.h"
#include "weft/kernels/cpu/additive_attention.h"
#include "weft/kernels/cpu/attention.h"
#include "weft/kernels/cpu/batch_norm.h"
#include "weft/kernels/cpu/cell.h"
#include "weft/kernels/cpu/cross_entropy.h"
#include "weft/kernels/cpu/ctc.h"
#include "weft/kernels/cpu/divergence.h"
#include "weft/kernels/cpu/dropout.h"
#include "weft/kernels/cpu/elementwise.h"
#include "weft/kernels/cpu/embedding.h"
#include "weft/kernels/cpu/gemm.h"
#include "weft/kernels/cpu/linear_attention.h"
#include "weft/kernels/cpu/norm.h"
#include "weft/kernels/cpu/onednn_product.h"
#include "weft/kernels/cpu/pack.h"
#include "weft/kernels/cpu/packed_product.h"
#include "weft/kernels/cpu/packed_rows.h"
#include "weft/kernels/cpu/reduce.h"
#include "weft/kernels/cpu/rotary.h"
#include "weft/kernels/cpu/score_function.h"
#include "weft/kernels/cpu/sinkhorn.h"
#include "weft/kernels/cpu/softmax.h"

namespace weft::kernels {
namespace {

bool is_float(const View& x) { return x.dtype == DType::kF32; }
// F32 or BF16: the types that have fast kernels.
bool is_fast(const View& x) { return is_float(x) || x.dtype == DType::kBF16; }
bool is_packable(DType type) {
  return type == DType::kF32 || type == DType::kBF16 || type == DType::kI8;
}
cpu::Floats floats(const View& x) { return x.as<float>(); }

}  // namespace

bool CpuBackend::is_fast_in(DType type) const {
  return type == DType::kF32 || (type == DType::kBF16 && cpu::multiplies_bf16());
}

void CpuBackend::gemm(const Gemm& g) const {
  const int64_t depth = g.transpose_a ? g.a.rows : g.a.cols;
  if (!is_fast(g.a) || depth == 0) return RefBackend::gemm(g);
  if (g.c.rows == 0 || g.c.cols == 0) return;
  cpu::gemm(g);
}

void CpuBackend::pack(View w, void* panels, int32_t* sums) const {
  if (!is_packable(w.dtype)) return RefBackend::pack(w, panels, sums);
  cpu::pack(w, panels, sums);
}

void CpuBackend::quantise_rows(View w, View q, float* scales) const {
  if (!is_float(w)) return RefBackend::quantise_rows(w, q, scales);
  cpu::quantise_rows(floats(w), q.as<int8_t>(), scales);
}

void CpuBackend::packed_product(const PackedProduct& p) const {
  bool is_known = is_float(p.x);
  for (const Packed& w : p.weights) is_known = is_known && is_packable(w.dtype);
  if (!is_known) return RefBackend::packed_product(p);
  cpu::packed_product(p);
}

void CpuBackend::packed_embedding(const Packed& table, const int32_t* ids, double scale,
                                  const int32_t* position, View y) const {
  if (!is_float(y) || !is_packable(table.dtype)) {
    return RefBackend::packed_embedding(table, ids, scale, position, y);
  }
  cpu::packed_embedding(table, ids, static_cast<float>(scale), position, y);
}

void CpuBackend::fill(View y, double value) const {
  if (!is_fast(y)) return RefBackend::fill(y, value);
  cpu::fill(y, static_cast<float>(value));
}

void CpuBackend::copy(View x, View y) const {
  if (!is_fast(x) || !is_fast(y)) return RefBackend::copy(x, y);
  cpu::copy(x, y);
}

void CpuBackend::scatter_rows(View x, const int32_t* at, View y) const {
  const bool fits = x.dtype == y.dtype || (is_float(x) && y.dtype == DType::kBF16);
  if (!is_fast(x) || !fits) return RefBackend::scatter_rows(x, at, y);
  cpu::scatter_rows(x, at, y);
}

void CpuBackend::gather_rows(View x, const int32_t* at, View y) const {
  if (x.dtype != y.dtype) return RefBackend::gather_rows(x, at, y);
  cpu::gather_rows(x, at, y);
}

void CpuBackend::add(View x, View z, View y) const {
  if (!is_fast(x)) return RefBackend::add(x, z, y);
  cpu::add(x, z, y);
}

void CpuBackend::multiply(View x, View z, View y) const {
  if (!is_fast(x)) return RefBackend::multiply(x, z, y);
  cpu::multiply(x, z, y);
}

void CpuBackend::divide(View x, View z, View y) const {
  if (!is_fast(x)) return RefBackend::divide(x, z, y);
  cpu::divide(x, z, y);
}

void CpuBackend::scale(double alpha, View x, View y) const {
  if (!is_fast(x)) return RefBackend::scale(alpha, x, y);
  cpu::scale(static_cast<float>(alpha), x, y);
}

void CpuBackend::accumulate(double alpha, View x, View y) const {
  if (!is_fast(x) || !is_fast(y)) return RefBackend::accumulate(alpha, x, y);
  cpu::accumulate(static_cast<float>(alpha), x, y);
}

void CpuBackend::activation(Activation kind, View x, View y) const {
  if (!is_fast(x)) return RefBackend::activation(kind, x, y);
  cpu::activation(kind, x, y);
}

void CpuBackend::d_activation(Activation kind, View x, View d_y, View d_x) const {
  if (!is_fast(x)) return RefBackend::d_activation(kind, x, d_y, d_x);
  cpu::d_activation(kind, x, d_y, d_x);
}

void CpuBackend::gate(Activation kind, View x, View y) const {
  if (!is_fast(x)) return RefBackend::gate(kind, x, y);
  cpu::gate(kind, x, y);
}

void CpuBackend::d_gate(Activation kind, View x, View d_y, View d_x) const {
  if (!is_fast(x)) return RefBackend::d_gate(kind, x, d_y, d_x);
  cpu::d_gate(kind, x, d_y, d_x);
}

void CpuBackend::dropout(const Dropout& d, View x, View y) const {
  if (!is_fast(x)) return RefBackend::dropout(d, x, y);
  cpu::dropout(d, x, y);
}

void CpuBackend::scale_rows(View x, const float* factors, View y) const {
  if (!is_fast(x)) return RefBackend::scale_rows(x, factors, y);
  cpu::scale_rows(x, factors, y);
}

void CpuBackend::column_sum(View x, View y) const {
  if (!is_fast(x)) return RefBackend::column_sum(x, y);
  cpu::column_sum(x, floats(y).data);
}

double CpuBackend::sum_of_squares(View x) const {
  if (!is_float(x)) return RefBackend::sum_of_squares(x);
  return cpu::sum_of_squares(floats(x));
}

void CpuBackend::row_argmax(View x, int32_t* index) const {
  if (!is_float(x)) return RefBackend::row_argmax(x, index);
  cpu::row_argmax(floats(x), index);
}

void CpuBackend::softmax(View x, View y) const {
  if (!is_float(x)) return RefBackend::softmax(x, y);
  cpu::softmax(floats(x), floats(y));
}

void CpuBackend::d_softmax(View y, View d_y, View d_x) const {
  if (!is_float(y)) return RefBackend::d_softmax(y, d_y, d_x);
  cpu::d_softmax(floats(y), floats(d_y), floats(d_x));
}

void CpuBackend::log_softmax(View x, View y) const {
  if (!is_float(x)) return RefBackend::log_softmax(x, y);
  cpu::log_softmax(floats(x), floats(y));
}

void CpuBackend::d_log_softmax(View y, View d_y, View d_x) const {
  if (!is_float(y)) return RefBackend::d_log_softmax(y, d_y, d_x);
  cpu::d_log_softmax(floats(y), floats(d_y), floats(d_x));
}

void CpuBackend::sinkhorn(int64_t steps, View x, View y) const {
  if (!is_float(x)) return RefBackend::sinkhorn(steps, x, y);
  cpu::sinkhorn(steps, floats(x), floats(y));
}

void CpuBackend::d_sinkhorn(int64_t steps, View x, View d_y, View d_x) const {
  if (!is_float(x)) return RefBackend::d_sinkhorn(steps, x, d_y, d_x);
  cpu::d_sinkhorn(steps, floats(x), floats(d_y), floats(d_x));
}

void CpuBackend::layer_norm(const Norm& n) const {
  if (!is_fast(n.x)) return RefBackend::layer_norm(n);
  cpu::layer_norm(n);
}

void CpuBackend::d_layer_norm(const NormGradient& g) const {
  if (!is_fast(g.x)) return RefBackend::d_layer_norm(g);
  cpu::d_layer_norm(g);
}

void CpuBackend::residual_norm(const ResidualNorm& r) const {
  if (!is_fast(r.x)) return RefBackend::residual_norm(r);
  cpu::residual_norm(r);
}

void CpuBackend::rms_norm(const Norm& n) const {
  if (!is_fast(n.x)) return RefBackend::rms_norm(n);
  cpu::rms_norm(n);
}

void CpuBackend::d_rms_norm(const NormGradient& g) const {
  if (!is_fast(g.x)) return RefBackend::d_rms_norm(g);
  cpu::d_rms_norm(g);
}

void CpuBackend::column_moments(View x, View stats) const {
  if (!is_fast(x)) return RefBackend::column_moments(x, stats);
  cpu::column_moments(x, stats);
}

void CpuBackend::batch_norm(const Norm& n) const {
  if (!is_fast(n.x)) return RefBackend::batch_norm(n);
  cpu::batch_norm(n);
}

void CpuBackend::d_batch_norm(const BatchNormGradient& g) const {
  if (!is_fast(g.x)) return RefBackend::d_batch_norm(g);
  cpu::d_batch_norm(g);
}

void CpuBackend::embedding(View table, const int32_t* ids, double scale, const int32_t* position,
                           View y) const {
  if (!is_fast(table)) return RefBackend::embedding(table, ids, scale, position, y);
  cpu::embedding(table, ids, static_cast<float>(scale), position, y);
}

void CpuBackend::d_embedding(const int32_t* ids, double scale, View d_y, View d_table) const {
  if (!is_fast(d_y)) return RefBackend::d_embedding(ids, scale, d_y, d_table);
  cpu::d_embedding(ids, static_cast<float>(scale), d_y, floats(d_table));
}

void CpuBackend::attention(const Attention& a) const {
  if (!is_fast(a.q)) return RefBackend::attention(a);
  cpu::attention(a);
}

void CpuBackend::d_attention(const AttentionGradient& g) const {
  if (!is_fast(g.forward.q)) return RefBackend::d_attention(g);
  cpu::d_attention(g);
}

void CpuBackend::cached_attention(const CachedAttention& a) const {
  if (!is_float(a.q)) return RefBackend::cached_attention(a);
  cpu::cached_attention(a);
}

void CpuBackend::linear_attention(const LinearAttention& a) const {
  if (!is_fast(a.q)) return RefBackend::linear_attention(a);
  cpu::linear_attention(a);
}

void CpuBackend::d_linear_attention(const LinearAttentionGradient& g) const {
  if (!is_fast(g.forward.q)) return RefBackend::d_linear_attention(g);
  cpu::d_linear_attention(g);
}

void CpuBackend::linear_attention_step(const LinearAttentionStep& s) const {
  if (!is_float(s.q)) return RefBackend::linear_attention_step(s);
  cpu::linear_attention_step(s);
}

void CpuBackend::score_weights(ScoreFunction function, View s, View p) const {
  if (!is_fast(s)) return RefBackend::score_weights(function, s, p);
  cpu::score_weights(function, s, p);
}

void CpuBackend::d_score_weights(ScoreFunction function, View s, View p, View d_p, View d_s) const {
  if (!is_fast(s)) return RefBackend::d_score_weights(function, s, p, d_p, d_s);
  cpu::d_score_weights(function, s, p, d_p, d_s);
}

void CpuBackend::rotary(const Rotary& r, View x, View y) const {
  if (!is_fast(x)) return RefBackend::rotary(r, x, y);
  cpu::rotary(r, x, y);
}

void CpuBackend::additive_attention(const AdditiveAttention& a) const {
  if (!is_fast(a.q)) return RefBackend::additive_attention(a);
  cpu::additive_attention(a);
}

void CpuBackend::d_additive_attention(const AdditiveAttentionGradient& g) const {
  if (!is_fast(g.forward.q)) return RefBackend::d_additive_attention(g);
  cpu::d_additive_attention(g);
}

void CpuBackend::cell(const Cell& c) const {
  if (!is_fast(c.x)) return RefBackend::cell(c);
  cpu::cell(c);
}

void CpuBackend::d_cell(const CellGradient& g) const {
  if (!is_fast(g.d_next)) return RefBackend::d_cell(g);
  cpu::d_cell(g);
}

void CpuBackend::cross_entropy(const SoftmaxLoss& l) const {
  if (!is_fast(l.x)) return RefBackend::cross_entropy(l);
  cpu::cross_entropy(l);
}

void CpuBackend::divergence(const Divergence& d) const {
  if (!is_fast(d.x)) return RefBackend::divergence(d);
  cpu::divergence(d);
}

void CpuBackend::ctc(const Ctc& c) const {
  if (!is_float(c.log_p)) return RefBackend::ctc(c);
  cpu::ctc(c);
}

void CpuBackend::adam(const Adam& a) const { cpu::adam(a); }

const Backend& cpu_backend() {
  static const CpuBackend backend;
  return backend;
}

}  // namespace weft::kernels
