#include "weft/kernels/ref/backend.h"

#include "weft/core/error.h"
#include "weft/kernels/ref/activation.h"
#include "weft/kernels/ref/adam.h"
#include "weft/kernels/ref/additive_attention.h"
#include "weft/kernels/ref/attention.h"
#include "weft/kernels/ref/batch_norm.h"
#include "weft/kernels/ref/cell.h"
#include "weft/kernels/ref/cross_entropy.h"
#include "weft/kernels/ref/ctc.h"
#include "weft/kernels/ref/divergence.h"
#include "weft/kernels/ref/dropout.h"
#include "weft/kernels/ref/elementwise.h"
#include "weft/kernels/ref/embedding.h"
#include "weft/kernels/ref/gemm.h"
#include "weft/kernels/ref/linear_attention.h"
#include "weft/kernels/ref/norm.h"
#include "weft/kernels/ref/packed.h"
#include "weft/kernels/ref/reduce.h"
#include "weft/kernels/ref/rotary.h"
#include "weft/kernels/ref/sinkhorn.h"
#include "weft/kernels/ref/softmax.h"

namespace weft::kernels {
namespace {

// Calls body with a value of the view's element type.
template <class Body>
void visit(std::string_view kernel, const View& x, Body&& body) {
  switch (x.dtype) {
    case DType::kF32: return body(float{});
    case DType::kF64: return body(double{});
    default: fail<ShapeError>(kernel, "no kernel for {}; expected F32 or F64", name_of(x.dtype));
  }
}

template <class Body>
void visit_storage(std::string_view kernel, const View& x, Body&& body) {
  switch (x.dtype) {
    case DType::kF32: return body(float{});
    case DType::kF64: return body(double{});
    case DType::kBF16: return body(BF16{});
    case DType::kI32: return body(int32_t{});
    default:
      fail<ShapeError>(kernel, "no kernel for {}; expected F32, F64, BF16 or I32",
                       name_of(x.dtype));
  }
}

void expect_packable(std::string_view kernel, DType type) {
  if (type == DType::kF32 || type == DType::kBF16 || type == DType::kI8) return;
  fail<ShapeError>(kernel, "no kernel for {}; expected F32, BF16 or I8", name_of(type));
}

void expect_float(std::string_view kernel, const View& x) {
  if (x.dtype == DType::kF32) return;
  fail<ShapeError>(kernel, "no kernel for {}; expected F32", name_of(x.dtype));
}

}  // namespace

void RefBackend::gemm(const Gemm& g) const {
  visit("gemm", g.a, [&]<class T>(T) { ref::gemm<T>(g); });
}

void RefBackend::pack(View w, void* panels, int32_t* sums) const {
  expect_packable("pack", w.dtype);
  const auto as = [&]<class T>(T) { ref::pack(w.as<T>(), static_cast<T*>(panels), sums); };
  if (w.dtype == DType::kF32) return as(float{});
  if (w.dtype == DType::kBF16) return as(BF16{});
  as(int8_t{});
}

void RefBackend::quantise_rows(View w, View q, float* scales) const {
  expect_float("quantise_rows", w);
  ref::quantise_rows(w.as<float>(), q.as<int8_t>(), scales);
}

void RefBackend::packed_product(const PackedProduct& p) const {
  expect_float("packed_product", p.x);
  for (const Packed& w : p.weights) expect_packable("packed_product", w.dtype);
  ref::packed_product(p);
}

void RefBackend::packed_embedding(const Packed& table, const int32_t* ids, double scale,
                                  const int32_t* position, View y) const {
  expect_float("packed_embedding", y);
  expect_packable("packed_embedding", table.dtype);
  ref::packed_embedding(table, ids, scale, position, y.as<float>());
}

void RefBackend::fill(View y, double value) const {
  visit_storage("fill", y, [&]<class T>(T) { ref::fill(y.as<T>(), value); });
}

void RefBackend::scatter_rows(View x, const int32_t* at, View y) const {
  for (int64_t n = 0; n < x.rows; ++n) {
    RefBackend::copy(x.range(n, n + 1), y.range(at[n], at[n] + 1));
  }
}

void RefBackend::gather_rows(View x, const int32_t* at, View y) const {
  for (int64_t n = 0; n < y.rows; ++n) {
    if (at[n] < 0) {
      RefBackend::fill(y.range(n, n + 1), 0);
    } else {
      RefBackend::copy(x.range(at[n], at[n] + 1), y.range(n, n + 1));
    }
  }
}

void RefBackend::copy(View x, View y) const {
  visit_storage("copy", x, [&]<class From>(From) {
    visit_storage("copy", y, [&]<class To>(To) { ref::copy(x.as<From>(), y.as<To>()); });
  });
}

void RefBackend::add(View x, View z, View y) const {
  visit("add", x, [&]<class T>(T) { ref::add(x.as<T>(), z.as<T>(), y.as<T>()); });
}

void RefBackend::multiply(View x, View z, View y) const {
  visit("multiply", x, [&]<class T>(T) { ref::multiply(x.as<T>(), z.as<T>(), y.as<T>()); });
}

void RefBackend::divide(View x, View z, View y) const {
  visit("divide", x, [&]<class T>(T) { ref::divide(x.as<T>(), z.as<T>(), y.as<T>()); });
}

void RefBackend::scale(double alpha, View x, View y) const {
  visit("scale", x, [&]<class T>(T) { ref::scale(alpha, x.as<T>(), y.as<T>()); });
}

void RefBackend::accumulate(double alpha, View x, View y) const {
  visit("accumulate", x, [&]<class T>(T) { ref::accumulate(alpha, x.as<T>(), y.as<T>()); });
}

void RefBackend::activation(Activation kind, View x, View y) const {
  visit("activation", x, [&]<class T>(T) { ref::activation(kind, x.as<T>(), y.as<T>()); });
}

void RefBackend::d_activation(Activation kind, View x, View d_y, View d_x) const {
  visit("d_activation", x,
        [&]<class T>(T) { ref::d_activation(kind, x.as<T>(), d_y.as<T>(), d_x.as<T>()); });
}

void RefBackend::gate(Activation kind, View x, View y) const {
  visit("gate", x, [&]<class T>(T) { ref::gate(kind, x.as<T>(), y.as<T>()); });
}

void RefBackend::d_gate(Activation kind, View x, View d_y, View d_x) const {
  visit("d_gate", x, [&]<class T>(T) { ref::d_gate(kind, x.as<T>(), d_y.as<T>(), d_x.as<T>()); });
}

void RefBackend::dropout(const Dropout& d, View x, View y) const {
  visit("dropout", x, [&]<class T>(T) { ref::dropout(d, x.as<T>(), y.as<T>()); });
}

void RefBackend::scale_rows(View x, const float* factors, View y) const {
  visit("scale_rows", x, [&]<class T>(T) { ref::scale_rows(x.as<T>(), factors, y.as<T>()); });
}

void RefBackend::column_sum(View x, View y) const {
  visit("column_sum", x, [&]<class T>(T) { ref::column_sum(x.as<T>(), y.as<T>()); });
}

double RefBackend::sum_of_squares(View x) const {
  double sum = 0;
  visit("sum_of_squares", x, [&]<class T>(T) { sum = ref::sum_of_squares(x.as<T>()); });
  return sum;
}

void RefBackend::row_argmax(View x, int32_t* index) const {
  visit("row_argmax", x, [&]<class T>(T) { ref::row_argmax(x.as<T>(), index); });
}

void RefBackend::softmax(View x, View y) const {
  visit("softmax", x, [&]<class T>(T) { ref::softmax(x.as<T>(), y.as<T>()); });
}

void RefBackend::d_softmax(View y, View d_y, View d_x) const {
  visit("d_softmax", y, [&]<class T>(T) { ref::d_softmax(y.as<T>(), d_y.as<T>(), d_x.as<T>()); });
}

void RefBackend::log_softmax(View x, View y) const {
  visit("log_softmax", x, [&]<class T>(T) { ref::log_softmax(x.as<T>(), y.as<T>()); });
}

void RefBackend::d_log_softmax(View y, View d_y, View d_x) const {
  visit("d_log_softmax", y,
        [&]<class T>(T) { ref::d_log_softmax(y.as<T>(), d_y.as<T>(), d_x.as<T>()); });
}

void RefBackend::sinkhorn(int64_t steps, View x, View y) const {
  visit("sinkhorn", x, [&]<class T>(T) {
    for (int64_t i = 0; i < x.rows; i += x.cols) {
      ref::sinkhorn(steps, x.as<T>().range(i, i + x.cols), y.as<T>().range(i, i + x.cols));
    }
  });
}

void RefBackend::d_sinkhorn(int64_t steps, View x, View d_y, View d_x) const {
  visit("d_sinkhorn", x, [&]<class T>(T) {
    for (int64_t i = 0; i < x.rows; i += x.cols) {
      const int64_t end = i + x.cols;
      ref::d_sinkhorn(steps, x.as<T>().range(i, end), d_y.as<T>().range(i, end),
                      d_x.as<T>().range(i, end));
    }
  });
}

void RefBackend::layer_norm(const Norm& n) const {
  visit("layer_norm", n.x, [&]<class T>(T) { ref::layer_norm<T>(n); });
}

void RefBackend::d_layer_norm(const NormGradient& g) const {
  visit("d_layer_norm", g.x, [&]<class T>(T) { ref::d_layer_norm<T>(g); });
}

void RefBackend::residual_norm(const ResidualNorm& r) const {
  visit("residual_norm", r.x, [&]<class T>(T) {
    ref::residual<T>(r);
    const Norm norm{r.h, r.gamma, r.beta, r.epsilon, r.y, r.stats};
    r.beta ? ref::layer_norm<T>(norm) : ref::rms_norm<T>(norm);
  });
}

void RefBackend::rms_norm(const Norm& n) const {
  visit("rms_norm", n.x, [&]<class T>(T) { ref::rms_norm<T>(n); });
}

void RefBackend::d_rms_norm(const NormGradient& g) const {
  visit("d_rms_norm", g.x, [&]<class T>(T) { ref::d_rms_norm<T>(g); });
}

void RefBackend::column_moments(View x, View stats) const {
  visit("column_moments", x, [&]<class T>(T) { ref::column_moments(x.as<T>(), stats.as<T>()); });
}

void RefBackend::batch_norm(const Norm& n) const {
  visit("batch_norm", n.x, [&]<class T>(T) { ref::batch_norm<T>(n); });
}

void RefBackend::d_batch_norm(const BatchNormGradient& g) const {
  visit("d_batch_norm", g.x, [&]<class T>(T) { ref::d_batch_norm<T>(g); });
}

void RefBackend::embedding(View table, const int32_t* ids, double scale, const int32_t* position,
                           View y) const {
  visit("embedding", table,
        [&]<class T>(T) { ref::embedding(table.as<T>(), ids, scale, position, y.as<T>()); });
}

void RefBackend::d_embedding(const int32_t* ids, double scale, View d_y, View d_table) const {
  visit("d_embedding", d_y,
        [&]<class T>(T) { ref::d_embedding(ids, scale, d_y.as<T>(), d_table.as<T>()); });
}

void RefBackend::attention(const Attention& a) const {
  visit("attention", a.q, [&]<class T>(T) { ref::attention<T>(a); });
}

void RefBackend::d_attention(const AttentionGradient& g) const {
  visit("d_attention", g.forward.q, [&]<class T>(T) { ref::d_attention<T>(g); });
}

void RefBackend::cached_attention(const CachedAttention& a) const {
  visit("cached_attention", a.q, [&]<class T>(T) {
    a.keys.dtype == DType::kBF16 ? ref::cached_attention<T, BF16>(a)
                                 : ref::cached_attention<T, T>(a);
  });
}

void RefBackend::linear_attention(const LinearAttention& a) const {
  visit("linear_attention", a.q, [&]<class T>(T) { ref::linear_attention<T>(a); });
}

void RefBackend::d_linear_attention(const LinearAttentionGradient& g) const {
  visit("d_linear_attention", g.forward.q, [&]<class T>(T) { ref::d_linear_attention<T>(g); });
}

void RefBackend::linear_attention_step(const LinearAttentionStep& s) const {
  visit("linear_attention_step", s.q, [&]<class T>(T) { ref::linear_attention_step<T>(s); });
}

void RefBackend::score_weights(ScoreFunction function, View s, View p) const {
  visit("score_weights", s,
        [&]<class T>(T) { ref::score_weights<T>(function, s.as<T>(), p.as<T>()); });
}

void RefBackend::d_score_weights(ScoreFunction function, View s, View p, View d_p, View d_s) const {
  visit("d_score_weights", s, [&]<class T>(T) {
    ref::d_score_weights<T>(function, s.as<T>(), p.as<T>(), d_p.as<T>(), d_s.as<T>());
  });
}

void RefBackend::rotary(const Rotary& r, View x, View y) const {
  visit("rotary", x, [&]<class T>(T) { ref::rotary<T>(r, x.as<T>(), y.as<T>()); });
}

void RefBackend::additive_attention(const AdditiveAttention& a) const {
  visit("additive_attention", a.q, [&]<class T>(T) {
    a.keys.dtype == DType::kBF16 ? ref::additive_attention<T, BF16>(a)
                                 : ref::additive_attention<T, T>(a);
  });
}

void RefBackend::d_additive_attention(const AdditiveAttentionGradient& g) const {
  visit("d_additive_attention", g.forward.q, [&]<class T>(T) { ref::d_additive_attention<T>(g); });
}

void RefBackend::cell(const Cell& c) const {
  visit("cell", c.x, [&]<class T>(T) { ref::cell<T>(c); });
}

void RefBackend::d_cell(const CellGradient& g) const {
  visit("d_cell", g.d_next, [&]<class T>(T) { ref::d_cell<T>(g); });
}

void RefBackend::cross_entropy(const SoftmaxLoss& l) const {
  visit("cross_entropy", l.x, [&]<class T>(T) { ref::cross_entropy<T>(l); });
}

void RefBackend::divergence(const Divergence& d) const {
  visit("divergence", d.x, [&]<class T>(T) { ref::divergence<T>(d); });
}

void RefBackend::ctc(const Ctc& c) const {
  visit("ctc", c.log_p, [&]<class T>(T) {
    for (size_t b = 0; b + 1 < c.offsets.size(); ++b) ref::ctc_sentence<T>(c, b);
  });
}

void RefBackend::adam(const Adam& a) const { ref::adam(a); }

const Backend& ref_backend() {
  static const RefBackend backend;
  return backend;
}

}  // namespace weft::kernels
