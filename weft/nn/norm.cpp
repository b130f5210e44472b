#include "weft/nn/norm.h"

#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/ops/batch_norm.h"
#include "weft/ops/drop_path.h"

namespace weft::nn {
namespace {

// What a batch norm takes from `rows` rows of these moments [2, D].
auto update_of(const Tensor& moments, int64_t rows, double share) {
  return [=](std::span<const Tensor> running) {
    const auto count = static_cast<double>(rows);
    const double correction = rows > 1 ? count / (count - 1) : 1;
    const Tensor &mean = running[0], &variance = running[1];
    const auto& backend = backend_of(mean);
    backend(kernels::Scale{.alpha = 1 - share, .x = mean, .y = mean});
    backend(kernels::Accumulate{.alpha = share, .x = moments.row_range(0, 1), .y = mean});
    backend(kernels::Scale{.alpha = 1 - share, .x = variance, .y = variance});
    backend(kernels::Accumulate{
        .alpha = share * correction, .x = moments.row_range(1, 2), .y = variance});
  };
}

}  // namespace

Tensor BatchNorm::operator()(const Tensor& x, const Context& context) const {
  const ops::NormWeights weights{this->weight, bias, epsilon};
  if (context.training && !running_mean.is_frozen && !running_var.is_frozen) {
    const Tensor moments = ops::column_moments(x);  // [2, D]
    if (context.statistics != nullptr) {
      context.statistics->push_back(
          {{&running_mean, &running_var}, update_of(moments, x.rows(), momentum)});
    }
    return ops::batch_norm(x, weights, {.stats = moments}, context.tape);
  }
  const Tensor stats = Tensor::empty({2, x.cols()}, sum_type(x.dtype()));  // [2, D]
  const auto& backend = backend_of(x);
  backend(kernels::Copy{.x = running_mean.value, .y = stats.row_range(0, 1)});
  backend(kernels::Copy{.x = running_var.value, .y = stats.row_range(1, 2)});
  return ops::batch_norm(x, weights, {.stats = stats, .is_fixed = true}, context.tape);
}

Tensor Norm::operator()(const Tensor& x, const Context& context) const {
  return std::visit([&](const auto& norm) { return norm(x, context); }, kind);
}

Tensor Norm::of_sum(const Tensor& y, const Tensor& residual, const ops::ResidualParams& params,
                    const Context& context) const {
  return std::visit([&](const auto& norm) { return norm.of_sum(y, residual, params, context); },
                    kind);
}

bool Norm::is_present() const {
  return std::visit([](const auto& norm) { return norm.weight.is_present(); }, kind);
}

Norm make_norm(const NormOptions& o, int64_t features) {
  return o.kind.visit([&](const auto& kind) -> Norm { return {kind.make(features, o.epsilon)}; });
}

Norm make_stack_norm(const NormOptions& o, int64_t features) {
  const bool is_wanted = o.placement.visit([](const auto& p) { return p.kInStack; });
  return is_wanted ? make_norm(o, features) : Norm();
}

Norm make_output_norm(const NormOptions& o, int64_t features) {
  const bool is_wanted = o.placement.visit([](const auto& p) { return p.kOnOutput; });
  return is_wanted ? make_norm(o, features) : Norm();
}

Tensor Residual::operator()(const Tensor& x, const ops::LayoutPtr& rows, const Context& context,
                            const Sublayer& f) const {
  const Dropout path{context.scope.drop_path, drop_path_stream};
  const Sublayer branch = [&](const Tensor& y) {
    const Tensor out = output_norm.is_present() ? output_norm(f(y), context) : f(y);
    return ops::drop_path(out, context.dropout(path, rows), context.tape);
  };
  const ops::ResidualParams params{context.dropout(dropout, rows), scale};
  return placement.visit([&](const auto& p) { return p.add(x, branch, params, norm, context); });
}

}  // namespace weft::nn
