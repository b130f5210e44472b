#include "weft/nn/pooling.h"

#include <cmath>
#include <vector>

#include "weft/core/error.h"
#include "weft/ops/rows/attention_pool.h"
#include "weft/ops/rows/first_rows.h"
#include "weft/ops/rows/last_rows.h"
#include "weft/ops/rows/max_rows.h"
#include "weft/ops/rows/mean_rows.h"
#include "weft/ops/scale.h"

namespace weft::nn {
namespace {

// The mean of the rows x [N, C], row i of n from 0 multiplied by factor(i, n); [B, C].
template <class Factor>
Tensor scaled_mean(const Tensor& x, const ops::LayoutPtr& rows, autograd::Tape* tape,
                   Factor factor) {
  std::vector<double> factors;
  factors.reserve(static_cast<size_t>(x.size()));
  for (int64_t b = 0; b < rows->sequences(); ++b) {
    const double n = rows->segments.length(b);
    for (int32_t i = 0; i < rows->segments.length(b); ++i) {
      factors.insert(factors.end(), static_cast<size_t>(x.cols()),
                     factor(static_cast<double>(i), n));
    }
  }
  const Tensor z = Tensor::from(factors, x.shape()).to(x.dtype());  // [N, C]
  return ops::mean_rows(ops::multiply(x, z, tape), rows, tape);
}

}  // namespace

Tensor FirstRowPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                                   autograd::Tape* tape) const {
  return ops::first_rows(x, rows, tape);
}

Tensor LastRowPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                                  autograd::Tape* tape) const {
  return ops::last_rows(x, rows, tape);
}

Tensor RootMeanPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                                   autograd::Tape* tape) const {
  return scaled_mean(x, rows, tape, [](double, double n) { return std::sqrt(n); });
}

Tensor PositionMeanPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                                       autograd::Tape* tape) const {
  return scaled_mean(x, rows, tape, [](double i, double n) { return 2 * (i + 1) / (n + 1); });
}

Tensor MeanPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                               autograd::Tape* tape) const {
  return ops::mean_rows(x, rows, tape);
}

Tensor MaxPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                              autograd::Tape* tape) const {
  return ops::max_rows(x, rows, tape);
}

Tensor AttentionPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                                    autograd::Tape* tape) const {
  return ops::attention_pool(x, query, rows, heads, tape);
}

AttentionPooling AttentionPoolingOptions::make(int64_t features) const {
  if (features % heads != 0) {
    fail<OptionError>("--pooling-heads", "{} heads do not divide the {} features of the encoder",
                      heads, features);
  }
  return {Parameter({1, features}, Init::kZeros), heads};
}

Tensor Pooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                           autograd::Tape* tape) const {
  return std::visit([&](const auto& k) { return k(x, rows, tape); }, kind);
}

Pooling make_pooling(const PoolingKinds& kinds, int64_t features) {
  return kinds.visit([&](const auto& kind) -> Pooling { return {kind.make(features)}; });
}

}  // namespace weft::nn
