// Norms of each head's queries and keys before their product, which keep scores from growing.
#ifndef WEFT_NN_ATTENTION_QK_NORM_H_
#define WEFT_NN_ATTENTION_QK_NORM_H_

#include <variant>

#include "weft/nn/parameters.h"
#include "weft/options/fields.h"

namespace weft::nn {

// A kind is queries(q, tape) and keys(k, tape), of rows [N, heads*K]. Here both are unchanged.
struct NoQkNorm {
  Tensor queries(const Tensor& q, autograd::Tape*) const { return q; }
  Tensor keys(const Tensor& k, autograd::Tape*) const { return k; }
  template <class V>
  void fields(V&) {}
};

// An rms norm over each head, with a gain for each of its features (as Dehghani et al. 2023, arXiv
// 2302.05442, with layer norms).
struct RmsQkNorm {
  Parameter q_weight, k_weight;  // [1, K]
  double epsilon = 1e-5;

  RmsQkNorm(int64_t key_size, double small);
  Tensor queries(const Tensor& q, autograd::Tape* tape) const;
  Tensor keys(const Tensor& k, autograd::Tape* tape) const;
  template <class V>
  void fields(V& v) {
    v("q_norm.weight", q_weight);
    v("k_norm.weight", k_weight);
  }
};

// Cosines in place of products, times one learned number (Henry et al. 2020, arXiv 2010.04245):
// queries and keys are scaled to the length sqrt(K), so that scores over sqrt(K) are sqrt(K) times
// the cosine times that number, which starts at 1.
struct CosineQkNorm {
  Parameter factor;  // [1, 1]
  int64_t key_size = 0;
  double epsilon = 1e-5;

  CosineQkNorm(int64_t size, double small);
  Tensor queries(const Tensor& q, autograd::Tape* tape) const;
  Tensor keys(const Tensor& k, autograd::Tape* tape) const;
  template <class V>
  void fields(V& v) {
    v("qk_scale", factor);
  }
};

// make(K, epsilon) is the module.
struct NoQkNormOptions {
  static constexpr std::string_view kName = "none";
  NoQkNorm make(int64_t, double) const { return {}; }
};
struct RmsQkNormOptions {
  static constexpr std::string_view kName = "rms";
  static constexpr std::string_view kHelp =
      "rms norms with gains (Dehghani et al. 2023, arXiv 2302.05442)";
  RmsQkNorm make(int64_t key_size, double epsilon) const { return {key_size, epsilon}; }
};
struct CosineQkNormOptions {
  static constexpr std::string_view kName = "l2";
  static constexpr std::string_view kHelp =
      "cosines times a learned number (Henry et al. 2020, arXiv 2010.04245)";
  CosineQkNorm make(int64_t key_size, double epsilon) const { return {key_size, epsilon}; }
};

using QkNormKinds = options::OneOf<NoQkNormOptions, RmsQkNormOptions, CosineQkNormOptions>;

struct QkNorm {
  options::VariantMadeFrom<QkNormKinds, int64_t, double> kind;

  Tensor queries(const Tensor& q, autograd::Tape* tape) const;
  Tensor keys(const Tensor& k, autograd::Tape* tape) const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& k) { k.fields(v); }, kind);
  }
};

QkNorm make_qk_norm(const QkNormKinds& kinds, int64_t key_size, double epsilon);

// x / sqrt(mean(x^2) + epsilon) * gain over each head of x [N, heads*K], gain [1, K].
Tensor norm_heads(const Tensor& x, const Tensor& gain, double epsilon, autograd::Tape* tape);
// The same without a gain.
Tensor norm_heads(const Tensor& x, int64_t key_size, double epsilon, autograd::Tape* tape);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_QK_NORM_H_
