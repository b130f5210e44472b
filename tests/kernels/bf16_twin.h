// The fast backend as seen through bfloat16: every view of a call that holds activations or weights
// is rounded to BF16, the BF16 kernel runs, and what it wrote is widened again. Tests written for
// F32 then hold BF16 kernels to the same reference.
#ifndef TESTS_KERNELS_BF16_TWIN_H_
#define TESTS_KERNELS_BF16_TWIN_H_

#include <vector>

#include "weft/kernels/cpu/backend.h"

namespace weft::kernels::test {

// A rounded copy of an F32 view; an output goes back into it at the end.
class Rounded {
 public:
  explicit Rounded(View x) : original_(x), data_(static_cast<size_t>(x.rows * x.cols) + 1) {
    if (x) cpu_backend().copy(x, view());
  }
  View view() {
    if (!original_) return {};
    return {data_.data(),   DType::kBF16,   original_.rows,
            original_.cols, original_.cols, original_.rows};
  }
  operator View() { return view(); }  // NOLINT: as buffers do
  void write_back() {
    if (original_) cpu_backend().copy(view(), original_);
  }

 private:
  View original_;
  std::vector<BF16> data_;
};

class RoundedOutput : public Rounded {
 public:
  using Rounded::Rounded;
  RoundedOutput(const RoundedOutput&) = delete;
  RoundedOutput& operator=(const RoundedOutput&) = delete;
  ~RoundedOutput() { write_back(); }
};

class Bf16Twin : public CpuBackend {
 public:
  void gemm(const Gemm& g) const override {
    Gemm call = g;
    Rounded a(g.a), b(g.b), bias(g.bias);
    call.a = a, call.b = b, call.bias = bias;
    if (g.transpose_a) return CpuBackend::gemm(call);  // as gradients of weights: C stays F32
    RoundedOutput c(g.c);
    call.c = c;
    CpuBackend::gemm(call);
  }
  void fill(View y, double value) const override { CpuBackend::fill(RoundedOutput(y), value); }
  void add(View x, View z, View y) const override {
    CpuBackend::add(Rounded(x), Rounded(z), RoundedOutput(y));
  }
  void multiply(View x, View z, View y) const override {
    CpuBackend::multiply(Rounded(x), Rounded(z), RoundedOutput(y));
  }
  void scale(double alpha, View x, View y) const override {
    CpuBackend::scale(alpha, Rounded(x), RoundedOutput(y));
  }
  void accumulate(double alpha, View x, View y) const override {
    CpuBackend::accumulate(alpha, Rounded(x), RoundedOutput(y));
  }
  void activation(Activation kind, View x, View y) const override {
    CpuBackend::activation(kind, Rounded(x), RoundedOutput(y));
  }
  void d_activation(Activation kind, View x, View d_y, View d_x) const override {
    CpuBackend::d_activation(kind, Rounded(x), Rounded(d_y), RoundedOutput(d_x));
  }
  void gate(Activation kind, View x, View y) const override {
    CpuBackend::gate(kind, Rounded(x), RoundedOutput(y));
  }
  void d_gate(Activation kind, View x, View d_y, View d_x) const override {
    CpuBackend::d_gate(kind, Rounded(x), Rounded(d_y), RoundedOutput(d_x));
  }
  void dropout(const Dropout& d, View x, View y) const override {
    CpuBackend::dropout(d, Rounded(x), RoundedOutput(y));
  }
  void column_sum(View x, View y) const override { CpuBackend::column_sum(Rounded(x), y); }
  void layer_norm(const Norm& n) const override {
    CpuBackend::layer_norm(
        {Rounded(n.x), Rounded(n.gamma), Rounded(n.beta), n.epsilon, RoundedOutput(n.y), n.stats});
  }
  void d_layer_norm(const NormGradient& g) const override {
    CpuBackend::d_layer_norm({Rounded(g.x), Rounded(g.gamma), g.stats, Rounded(g.d_y),
                              RoundedOutput(g.d_x), g.d_gamma, g.d_beta});
  }
  void residual_norm(const ResidualNorm& r) const override {
    CpuBackend::residual_norm({r.dropout, Rounded(r.x), Rounded(r.residual), Rounded(r.gamma),
                               Rounded(r.beta), r.epsilon, RoundedOutput(r.h), RoundedOutput(r.y),
                               r.stats, r.residual_scale});
  }
  void scale_rows(View x, const float* factors, View y) const override {
    CpuBackend::scale_rows(Rounded(x), factors, RoundedOutput(y));
  }
  void rms_norm(const Norm& n) const override {
    CpuBackend::rms_norm(
        {Rounded(n.x), Rounded(n.gamma), {}, n.epsilon, RoundedOutput(n.y), n.stats});
  }
  void d_rms_norm(const NormGradient& g) const override {
    CpuBackend::d_rms_norm({Rounded(g.x),
                            Rounded(g.gamma),
                            g.stats,
                            Rounded(g.d_y),
                            RoundedOutput(g.d_x),
                            g.d_gamma,
                            {}});
  }
  void column_moments(View x, View stats) const override {
    CpuBackend::column_moments(Rounded(x), stats);
  }
  void batch_norm(const Norm& n) const override {
    CpuBackend::batch_norm(
        {Rounded(n.x), Rounded(n.gamma), Rounded(n.beta), n.epsilon, RoundedOutput(n.y), n.stats});
  }
  void d_batch_norm(const BatchNormGradient& g) const override {
    CpuBackend::d_batch_norm({Rounded(g.x), Rounded(g.gamma), g.stats, Rounded(g.d_y), g.epsilon,
                              g.is_fixed, RoundedOutput(g.d_x), g.d_gamma, g.d_beta});
  }
  void divergence(const Divergence& d) const override {
    Rounded x(d.x), z(d.z);
    RoundedOutput d_x(d.d_x), d_z(d.d_z);
    Divergence call = d;
    call.x = x, call.z = z, call.d_x = d_x, call.d_z = d_z;
    CpuBackend::divergence(call);
  }
  void embedding(View table, const int32_t* ids, double scale, const int32_t* position,
                 View y) const override {
    CpuBackend::embedding(Rounded(table), ids, scale, position, RoundedOutput(y));
  }
  void d_embedding(const int32_t* ids, double scale, View d_y, View d_table) const override {
    CpuBackend::d_embedding(ids, scale, Rounded(d_y), d_table);
  }
  void attention(const Attention& a) const override {
    Rounded q(a.q), k(a.k), v(a.v);
    RoundedOutput out(a.out);
    Attention call = a;
    call.q = q, call.k = k, call.v = v, call.out = out;
    CpuBackend::attention(call);
  }
  void d_attention(const AttentionGradient& g) const override {
    Rounded q(g.forward.q), k(g.forward.k), v(g.forward.v), out(g.forward.out), d_out(g.d_out);
    RoundedOutput d_q(g.d_q), d_k(g.d_k), d_v(g.d_v);
    AttentionGradient call = g;
    call.forward.q = q, call.forward.k = k, call.forward.v = v, call.forward.out = out;
    call.d_out = d_out, call.d_q = d_q, call.d_k = d_k, call.d_v = d_v;
    CpuBackend::d_attention(call);
  }
  void gather_rows(View x, const int32_t* at, View y) const override {
    CpuBackend::gather_rows(Rounded(x), at, RoundedOutput(y));
  }
  void additive_attention(const AdditiveAttention& a) const override {
    Rounded q(a.q), keys(a.keys), v(a.v), values(a.values);
    RoundedOutput out(a.out);
    AdditiveAttention call = a;
    call.q = q, call.keys = keys, call.v = v, call.values = values, call.out = out;
    CpuBackend::additive_attention(call);
  }
  void d_additive_attention(const AdditiveAttentionGradient& g) const override {
    const AdditiveAttention& a = g.forward;
    Rounded q(a.q), keys(a.keys), v(a.v), values(a.values), d_out(g.d_out);
    RoundedOutput d_q(g.d_q), d_keys(g.d_keys), d_values(g.d_values);
    AdditiveAttentionGradient call = g;
    call.forward.q = q, call.forward.keys = keys, call.forward.v = v, call.forward.values = values;
    call.d_out = d_out, call.d_q = d_q, call.d_keys = d_keys, call.d_values = d_values;
    CpuBackend::d_additive_attention(call);
  }
  void cell(const Cell& c) const override {
    CpuBackend::cell({c.kind, Rounded(c.x), Rounded(c.h), Rounded(c.state), RoundedOutput(c.next)});
  }
  void d_cell(const CellGradient& g) const override {
    const Cell& c = g.forward;
    CpuBackend::d_cell({{c.kind, Rounded(c.x), Rounded(c.h), Rounded(c.state)},
                        Rounded(g.d_next),
                        RoundedOutput(g.d_x),
                        RoundedOutput(g.d_h),
                        RoundedOutput(g.d_state)});
  }
  void cross_entropy(const SoftmaxLoss& l) const override {
    Rounded x(l.x);
    RoundedOutput d_x(l.d_x);
    SoftmaxLoss call = l;
    call.x = x, call.d_x = d_x;
    CpuBackend::cross_entropy(call);
  }
};

}  // namespace weft::kernels::test

#endif  // TESTS_KERNELS_BF16_TWIN_H_
