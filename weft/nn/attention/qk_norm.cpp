#include "weft/nn/attention/qk_norm.h"

#include "weft/ops/reshape.h"
#include "weft/ops/rms_norm.h"
#include "weft/ops/scale.h"

namespace weft::nn {

Tensor norm_heads(const Tensor& x, const Tensor& gain, double epsilon, autograd::Tape* tape) {
  const Tensor heads = ops::reshape(x, {x.size() / gain.cols(), gain.cols()}, tape);  // [N*H, K]
  return ops::reshape(ops::rms_norm(heads, {gain, epsilon}, tape), x.shape(), tape);  // [N, H*K]
}

Tensor norm_heads(const Tensor& x, int64_t key_size, double epsilon, autograd::Tape* tape) {
  return norm_heads(x, Tensor::full({1, key_size}, 1, x.dtype()), epsilon, tape);
}

RmsQkNorm::RmsQkNorm(int64_t key_size, double small)
    : q_weight({1, key_size}, Init::kOnes), k_weight({1, key_size}, Init::kOnes), epsilon(small) {}

Tensor RmsQkNorm::queries(const Tensor& q, autograd::Tape* tape) const {
  return norm_heads(q, q_weight, epsilon, tape);
}

Tensor RmsQkNorm::keys(const Tensor& k, autograd::Tape* tape) const {
  return norm_heads(k, k_weight, epsilon, tape);
}

CosineQkNorm::CosineQkNorm(int64_t size, double small)
    : factor({1, 1}, Init::kOnes), key_size(size), epsilon(small) {}

Tensor CosineQkNorm::queries(const Tensor& q, autograd::Tape* tape) const {
  return ops::scale_by(keys(q, tape), factor, tape);
}

Tensor CosineQkNorm::keys(const Tensor& k, autograd::Tape* tape) const {
  return norm_heads(k, key_size, epsilon, tape);
}

Tensor QkNorm::queries(const Tensor& q, autograd::Tape* tape) const {
  return std::visit([&](const auto& norm) { return norm.queries(q, tape); }, kind);
}

Tensor QkNorm::keys(const Tensor& k, autograd::Tape* tape) const {
  return std::visit([&](const auto& norm) { return norm.keys(k, tape); }, kind);
}

QkNorm make_qk_norm(const QkNormKinds& kinds, int64_t key_size, double epsilon) {
  return kinds.visit([&](const auto& kind) -> QkNorm { return {kind.make(key_size, epsilon)}; });
}

}  // namespace weft::nn
