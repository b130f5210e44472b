#include "weft/inspect/rollout.h"

#include "weft/core/error.h"

namespace weft::inspect {

Tensor mean_of(std::span<const Tensor> heads) {
  Tensor out = Tensor::zeros(heads.front().shape());
  const auto sum = out.span<float>();
  const float share = 1 / static_cast<float>(heads.size());
  for (const Tensor& head : heads) {
    const auto values = head.span<float>();
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += share * values[i];
  }
  return out;
}

std::vector<Tensor> rollout(std::span<const Tensor> layers) {
  std::vector<Tensor> out;
  for (const Tensor& layer : layers) {
    const int64_t size = layer.rows();
    if (layer.cols() != size || size != layers.front().rows()) {
      fail<ShapeError>("rollout", "expected square matrices of one size, got {}",
                       layer.shape().text());
    }
    const Tensor next = Tensor::zeros({size, size});
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        const float weight = (layer.data<float>()[i * size + j] + (i == j ? 1.0F : 0.0F)) / 2;
        if (out.empty()) {
          next.data<float>()[i * size + j] = weight;
          continue;
        }
        const float* before = out.back().data<float>() + j * size;
        for (int64_t k = 0; k < size; ++k) next.data<float>()[i * size + k] += weight * before[k];
      }
    }
    out.push_back(next);
  }
  return out;
}

}  // namespace weft::inspect
