#include "weft/kernels/profiled.h"

#include <algorithm>

#include "weft/core/profile.h"

namespace weft::kernels {
namespace {

using profile::Span;

double bytes_of(std::initializer_list<View> views) {
  double bytes = 0;
  for (const View& x : views) {
    if (x) bytes += static_cast<double>(x.size()) * static_cast<double>(size_of(x.dtype));
  }
  return bytes;
}

std::string_view gemm_name(const Gemm& g) {
  const bool is_bf16 = g.a.dtype == DType::kBF16;
  if (g.transpose_a) return is_bf16 ? "gemm a'b, bf16" : "gemm a'b";
  if (g.transpose_b) return is_bf16 ? "gemm ab', bf16" : "gemm ab'";
  return is_bf16 ? "gemm ab, bf16" : "gemm ab";
}

double gemm_flop(const Gemm& g) {
  const auto depth = static_cast<double>(g.transpose_a ? g.a.rows : g.a.cols);
  return 2 * static_cast<double>(g.c.size()) * depth;
}

std::string_view packed_name(DType type) {
  switch (type) {
    case DType::kBF16: return "product, bf16";
    case DType::kI8: return "product, int8";
    default: return "product, f32";
  }
}

double packed_bytes_of(std::span<const Packed> weights) {
  double bytes = 0;
  for (const Packed& w : weights) {
    bytes += static_cast<double>(packed_bytes(w.dtype, w.rows, w.cols));
  }
  return bytes;
}

// Of the two products of forward attention, with what a window hides; backward has five.
double attention_flop(const Attention& a) {
  double pairs = 0;
  for (size_t b = 0; b + 1 < a.q_offsets.size(); ++b) {
    const double queries = a.q_offsets[b + 1] - a.q_offsets[b];
    const double keys = a.k_offsets[b + 1] - a.k_offsets[b];
    const double seen = std::min(queries, keys);
    pairs += a.causal ? seen * (seen + 1) / 2 + (queries - seen) * keys : queries * keys;
  }
  return 2 * pairs * static_cast<double>(a.q.cols + a.out.cols);
}

double additive_flop(const AdditiveAttention& a) {
  return 2 * static_cast<double>(a.offsets.back()) * static_cast<double>(a.q.cols + a.out.cols);
}

// Of the sums of k v^T and the products with them.
double linear_flop(const LinearAttention& a) {
  const auto size = static_cast<double>(a.q.cols) / static_cast<double>(a.heads);
  return 2 * static_cast<double>(a.q.rows + a.k.rows) * size * static_cast<double>(a.v.cols);
}

}  // namespace

void ProfiledBackend::gemm(const Gemm& g) const {
  const Span span(gemm_name(g), gemm_flop(g), bytes_of({g.a, g.b, g.c}));
  inner_.gemm(g);
}

void ProfiledBackend::pack(View w, void* panels, int32_t* sums) const {
  const Span span("pack", 0, bytes_of({w, w}));
  inner_.pack(w, panels, sums);
}

void ProfiledBackend::quantise_rows(View w, View q, float* scales) const {
  const Span span("quantise_rows", 0, bytes_of({w, q}));
  inner_.quantise_rows(w, q, scales);
}

void ProfiledBackend::packed_product(const PackedProduct& p) const {
  const DType type = p.weights.empty() ? DType::kF32 : p.weights.front().dtype;
  const double flop = 2 * static_cast<double>(p.y.size()) * static_cast<double>(p.x.cols);
  const Span span(packed_name(type), flop, packed_bytes_of(p.weights) + bytes_of({p.x, p.y}));
  inner_.packed_product(p);
}

void ProfiledBackend::packed_embedding(const Packed& table, const int32_t* ids, double scale,
                                       const int32_t* position, View y) const {
  const Span span("embedding", 0, bytes_of({y, y}));
  inner_.packed_embedding(table, ids, scale, position, y);
}

void ProfiledBackend::fill(View y, double value) const {
  const Span span("fill", 0, bytes_of({y}));
  inner_.fill(y, value);
}

void ProfiledBackend::copy(View x, View y) const {
  const Span span("copy", 0, bytes_of({x, y}));
  inner_.copy(x, y);
}

void ProfiledBackend::scatter_rows(View x, const int32_t* at, View y) const {
  const Span span("copy", 0, 2 * bytes_of({x}));
  inner_.scatter_rows(x, at, y);
}

void ProfiledBackend::gather_rows(View x, const int32_t* at, View y) const {
  const Span span("copy", 0, 2 * bytes_of({y}));
  inner_.gather_rows(x, at, y);
}

void ProfiledBackend::add(View x, View z, View y) const {
  const Span span("add", 0, bytes_of({x, z, y}));
  inner_.add(x, z, y);
}

void ProfiledBackend::multiply(View x, View z, View y) const {
  const Span span("multiply", 0, bytes_of({x, z, y}));
  inner_.multiply(x, z, y);
}

void ProfiledBackend::divide(View x, View z, View y) const {
  const Span span("divide", 0, bytes_of({x, z, y}));
  inner_.divide(x, z, y);
}

void ProfiledBackend::scale(double alpha, View x, View y) const {
  const Span span("scale", 0, bytes_of({x, y}));
  inner_.scale(alpha, x, y);
}

void ProfiledBackend::accumulate(double alpha, View x, View y) const {
  const Span span("accumulate", 0, bytes_of({x, y, y}));
  inner_.accumulate(alpha, x, y);
}

void ProfiledBackend::activation(Activation kind, View x, View y) const {
  const Span span("activation", 0, bytes_of({x, y}));
  inner_.activation(kind, x, y);
}

void ProfiledBackend::d_activation(Activation kind, View x, View d_y, View d_x) const {
  const Span span("d_activation", 0, bytes_of({x, d_y, d_x}));
  inner_.d_activation(kind, x, d_y, d_x);
}

void ProfiledBackend::gate(Activation kind, View x, View y) const {
  const Span span("gate", 0, bytes_of({x, y}));
  inner_.gate(kind, x, y);
}

void ProfiledBackend::d_gate(Activation kind, View x, View d_y, View d_x) const {
  const Span span("d_gate", 0, bytes_of({x, d_y, d_x}));
  inner_.d_gate(kind, x, d_y, d_x);
}

void ProfiledBackend::dropout(const Dropout& d, View x, View y) const {
  const Span span("dropout", 0, bytes_of({x, y}));
  inner_.dropout(d, x, y);
}

void ProfiledBackend::scale_rows(View x, const float* factors, View y) const {
  const Span span("scale", 0, bytes_of({x, y}));
  inner_.scale_rows(x, factors, y);
}

void ProfiledBackend::column_sum(View x, View y) const {
  const Span span("column_sum", 0, bytes_of({x, y}));
  inner_.column_sum(x, y);
}

double ProfiledBackend::sum_of_squares(View x) const {
  const Span span("sum_of_squares", 0, bytes_of({x}));
  return inner_.sum_of_squares(x);
}

void ProfiledBackend::row_argmax(View x, int32_t* index) const {
  const Span span("row_argmax", 0, bytes_of({x}));
  inner_.row_argmax(x, index);
}

void ProfiledBackend::softmax(View x, View y) const {
  const Span span("softmax", 0, bytes_of({x, y}));
  inner_.softmax(x, y);
}

void ProfiledBackend::d_softmax(View y, View d_y, View d_x) const {
  const Span span("d_softmax", 0, bytes_of({y, d_y, d_x}));
  inner_.d_softmax(y, d_y, d_x);
}

void ProfiledBackend::log_softmax(View x, View y) const {
  const Span span("log_softmax", 0, bytes_of({x, y}));
  inner_.log_softmax(x, y);
}

void ProfiledBackend::d_log_softmax(View y, View d_y, View d_x) const {
  const Span span("d_log_softmax", 0, bytes_of({y, d_y, d_x}));
  inner_.d_log_softmax(y, d_y, d_x);
}

void ProfiledBackend::sinkhorn(int64_t steps, View x, View y) const {
  const Span span("sinkhorn", 0, bytes_of({x, y}));
  inner_.sinkhorn(steps, x, y);
}

void ProfiledBackend::d_sinkhorn(int64_t steps, View x, View d_y, View d_x) const {
  const Span span("d_sinkhorn", 0, bytes_of({x, d_y, d_x}));
  inner_.d_sinkhorn(steps, x, d_y, d_x);
}

void ProfiledBackend::layer_norm(const Norm& n) const {
  const Span span("layer_norm", 0, bytes_of({n.x, n.y}));
  inner_.layer_norm(n);
}

void ProfiledBackend::d_layer_norm(const NormGradient& g) const {
  const Span span("d_layer_norm", 0, bytes_of({g.x, g.d_y, g.d_x}));
  inner_.d_layer_norm(g);
}

void ProfiledBackend::residual_norm(const ResidualNorm& r) const {
  const Span span("residual_norm", 0, bytes_of({r.x, r.residual, r.h, r.y}));
  inner_.residual_norm(r);
}

void ProfiledBackend::rms_norm(const Norm& n) const {
  const Span span("rms_norm", 0, bytes_of({n.x, n.y}));
  inner_.rms_norm(n);
}

void ProfiledBackend::d_rms_norm(const NormGradient& g) const {
  const Span span("d_rms_norm", 0, bytes_of({g.x, g.d_y, g.d_x}));
  inner_.d_rms_norm(g);
}

void ProfiledBackend::column_moments(View x, View stats) const {
  const Span span("column_moments", 0, bytes_of({x, x}));
  inner_.column_moments(x, stats);
}

void ProfiledBackend::batch_norm(const Norm& n) const {
  const Span span("batch_norm", 0, bytes_of({n.x, n.y}));
  inner_.batch_norm(n);
}

void ProfiledBackend::d_batch_norm(const BatchNormGradient& g) const {
  const Span span("d_batch_norm", 0, bytes_of({g.x, g.d_y, g.x, g.d_y, g.d_x}));
  inner_.d_batch_norm(g);
}

void ProfiledBackend::embedding(View table, const int32_t* ids, double scale,
                                const int32_t* position, View y) const {
  const Span span("embedding", 0, bytes_of({y, y}));
  inner_.embedding(table, ids, scale, position, y);
}

void ProfiledBackend::d_embedding(const int32_t* ids, double scale, View d_y, View d_table) const {
  const Span span("d_embedding", 0, bytes_of({d_y, d_y}));
  inner_.d_embedding(ids, scale, d_y, d_table);
}

void ProfiledBackend::attention(const Attention& a) const {
  const Span span("attention", attention_flop(a), bytes_of({a.q, a.k, a.v, a.out}));
  inner_.attention(a);
}

void ProfiledBackend::d_attention(const AttentionGradient& g) const {
  const Attention& a = g.forward;
  const Span span("d_attention", 2.5 * attention_flop(a),
                  bytes_of({a.q, a.k, a.v, a.out, g.d_out, g.d_q, g.d_k, g.d_v}));
  inner_.d_attention(g);
}

void ProfiledBackend::cached_attention(const CachedAttention& a) const {
  const auto pairs = static_cast<double>(a.rows.size());
  const double sizes = static_cast<double>(a.q.cols + a.out.cols);
  const Span span("cached_attention", 2 * pairs * sizes,
                  pairs * sizes * static_cast<double>(size_of(a.keys.dtype)));
  inner_.cached_attention(a);
}

void ProfiledBackend::linear_attention(const LinearAttention& a) const {
  const Span span("linear_attention", linear_flop(a), bytes_of({a.q, a.k, a.v, a.out}));
  inner_.linear_attention(a);
}

void ProfiledBackend::d_linear_attention(const LinearAttentionGradient& g) const {
  const LinearAttention& a = g.forward;
  const Span span("d_linear_attention", 3 * linear_flop(a),
                  bytes_of({a.q, a.k, a.v, a.out, g.d_out, g.d_q, g.d_k, g.d_v}));
  inner_.d_linear_attention(g);
}

void ProfiledBackend::linear_attention_step(const LinearAttentionStep& s) const {
  const Span span("linear_attention_step", 4 * static_cast<double>(s.state.size()),
                  bytes_of({s.q, s.k, s.v, s.state, s.state}));
  inner_.linear_attention_step(s);
}

void ProfiledBackend::score_weights(ScoreFunction function, View s, View p) const {
  const Span span("score_weights", 0, bytes_of({s, p}));
  inner_.score_weights(function, s, p);
}

void ProfiledBackend::d_score_weights(ScoreFunction function, View s, View p, View d_p,
                                      View d_s) const {
  const Span span("d_score_weights", 0, bytes_of({s, p, d_p, d_s}));
  inner_.d_score_weights(function, s, p, d_p, d_s);
}

void ProfiledBackend::rotary(const Rotary& r, View x, View y) const {
  const Span span("rotary", 0, bytes_of({x, y}));
  inner_.rotary(r, x, y);
}

void ProfiledBackend::additive_attention(const AdditiveAttention& a) const {
  const Span span("additive_attention", additive_flop(a), bytes_of({a.q, a.out}));
  inner_.additive_attention(a);
}

void ProfiledBackend::d_additive_attention(const AdditiveAttentionGradient& g) const {
  const Span span("d_additive_attention", 3 * additive_flop(g.forward),
                  bytes_of({g.d_q, g.d_keys, g.d_values}));
  inner_.d_additive_attention(g);
}

void ProfiledBackend::cell(const Cell& c) const {
  const Span span("cell", 0, bytes_of({c.x, c.h, c.state, c.next}));
  inner_.cell(c);
}

void ProfiledBackend::d_cell(const CellGradient& g) const {
  const Span span("d_cell", 0, bytes_of({g.d_next, g.forward.x, g.d_x, g.d_state}));
  inner_.d_cell(g);
}

void ProfiledBackend::cross_entropy(const SoftmaxLoss& l) const {
  const Span span("cross_entropy", 0, bytes_of({l.x, l.d_x}));
  inner_.cross_entropy(l);
}

void ProfiledBackend::divergence(const Divergence& d) const {
  const Span span("divergence", 0, bytes_of({d.x, d.z, d.d_x, d.d_z}));
  inner_.divergence(d);
}

void ProfiledBackend::ctc(const Ctc& c) const {
  const Span span("ctc", 0, bytes_of({c.log_p, c.d_log_p}));
  inner_.ctc(c);
}

void ProfiledBackend::adam(const Adam& a) const {
  const double floats = a.average ? 9 : 7;  // read and written for each weight
  const Span span("adam", 0, static_cast<double>(a.n) * (4 * floats + (a.rounded ? 2 : 0)));
  inner_.adam(a);
}

}  // namespace weft::kernels
