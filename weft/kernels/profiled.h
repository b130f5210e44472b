// A backend that passes every call on and tells the profile of it.
#ifndef WEFT_KERNELS_PROFILED_H_
#define WEFT_KERNELS_PROFILED_H_

#include "weft/kernels/backend.h"

namespace weft::kernels {

class ProfiledBackend : public Backend {
 public:
  explicit ProfiledBackend(const Backend& inner) : inner_(inner) {}

  std::string_view name() const override { return inner_.name(); }
  bool is_fast_in(DType type) const override { return inner_.is_fast_in(type); }

  void gemm(const Gemm& g) const override;
  void pack(View w, void* panels, int32_t* sums) const override;
  void quantise_rows(View w, View q, float* scales) const override;
  void packed_product(const PackedProduct& p) const override;
  void packed_embedding(const Packed& table, const int32_t* ids, double scale,
                        const int32_t* position, View y) const override;
  void fill(View y, double value) const override;
  void copy(View x, View y) const override;
  void scatter_rows(View x, const int32_t* at, View y) const override;
  void gather_rows(View x, const int32_t* at, View y) const override;
  void add(View x, View z, View y) const override;
  void multiply(View x, View z, View y) const override;
  void divide(View x, View z, View y) const override;
  void scale(double alpha, View x, View y) const override;
  void accumulate(double alpha, View x, View y) const override;
  void activation(Activation kind, View x, View y) const override;
  void d_activation(Activation kind, View x, View d_y, View d_x) const override;
  void gate(Activation kind, View x, View y) const override;
  void d_gate(Activation kind, View x, View d_y, View d_x) const override;
  void dropout(const Dropout& d, View x, View y) const override;
  void scale_rows(View x, const float* factors, View y) const override;
  void column_sum(View x, View y) const override;
  double sum_of_squares(View x) const override;
  void row_argmax(View x, int32_t* index) const override;
  void softmax(View x, View y) const override;
  void d_softmax(View y, View d_y, View d_x) const override;
  void log_softmax(View x, View y) const override;
  void d_log_softmax(View y, View d_y, View d_x) const override;
  void sinkhorn(int64_t steps, View x, View y) const override;
  void d_sinkhorn(int64_t steps, View x, View d_y, View d_x) const override;
  void layer_norm(const Norm& n) const override;
  void d_layer_norm(const NormGradient& g) const override;
  void residual_norm(const ResidualNorm& r) const override;
  void rms_norm(const Norm& n) const override;
  void d_rms_norm(const NormGradient& g) const override;
  void column_moments(View x, View stats) const override;
  void batch_norm(const Norm& n) const override;
  void d_batch_norm(const BatchNormGradient& g) const override;
  void embedding(View table, const int32_t* ids, double scale, const int32_t* position,
                 View y) const override;
  void d_embedding(const int32_t* ids, double scale, View d_y, View d_table) const override;
  void attention(const Attention& a) const override;
  void d_attention(const AttentionGradient& g) const override;
  void cached_attention(const CachedAttention& a) const override;
  void linear_attention(const LinearAttention& a) const override;
  void d_linear_attention(const LinearAttentionGradient& g) const override;
  void linear_attention_step(const LinearAttentionStep& s) const override;
  void score_weights(ScoreFunction function, View s, View p) const override;
  void d_score_weights(ScoreFunction function, View s, View p, View d_p, View d_s) const override;
  void rotary(const Rotary& r, View x, View y) const override;
  void additive_attention(const AdditiveAttention& a) const override;
  void d_additive_attention(const AdditiveAttentionGradient& g) const override;
  void cell(const Cell& c) const override;
  void d_cell(const CellGradient& g) const override;
  void cross_entropy(const SoftmaxLoss& l) const override;
  void divergence(const Divergence& d) const override;
  void ctc(const Ctc& c) const override;
  void adam(const Adam& a) const override;

 private:
  const Backend& inner_;
};

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_PROFILED_H_
