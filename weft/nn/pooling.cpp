#include "weft/nn/pooling.h"

#include "weft/core/error.h"
#include "weft/ops/rows/attention_pool.h"
#include "weft/ops/rows/first_rows.h"
#include "weft/ops/rows/max_rows.h"
#include "weft/ops/rows/mean_rows.h"

namespace weft::nn {

Tensor FirstRowPooling::operator()(const Tensor& x, const ops::LayoutPtr& rows,
                                   autograd::Tape* tape) const {
  return ops::first_rows(x, rows, tape);
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
