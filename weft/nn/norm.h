// Kinds of norm, and where a norm stands around a sublayer.
#ifndef WEFT_NN_NORM_H_
#define WEFT_NN_NORM_H_

#include <variant>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/nn/statistics.h"
#include "weft/ops/fused/residual_norm.h"

namespace weft::nn {

// A kind of norm is norm(x, context), and after(y, residual, rule, context), the norm of
// scale * residual + dropout(y); all [N, D].

// Over each row (Ba et al. 2016, arXiv 1607.06450).
struct LayerNorm {
  Parameter weight;  // [1, D]
  Parameter bias;    // [1, D]
  double epsilon = 1e-5;

  LayerNorm() = default;
  LayerNorm(int64_t features, double small)
      : weight({1, features}, Init::kOnes), bias({1, features}, Init::kZeros), epsilon(small) {}

  ops::NormWeights weights() const { return {weight, bias, epsilon}; }
  Tensor operator()(const Tensor& x, Context& context) const {
    return ops::layer_norm(x, weights(), context.tape);
  }
  Tensor after(const Tensor& y, const Tensor& residual, const ops::ResidualRule& rule,
               Context& context) const {
    return ops::residual_norm(y, residual, rule, weights(), context.tape).norm;
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
  }
};

// Over each row, by its root mean square alone (Zhang and Sennrich 2019, arXiv 1910.07467).
struct RmsNorm {
  Parameter weight;  // [1, D]
  double epsilon = 1e-5;

  RmsNorm() = default;
  RmsNorm(int64_t features, double small) : weight({1, features}, Init::kOnes), epsilon(small) {}

  Tensor operator()(const Tensor& x, Context& context) const {
    return ops::rms_norm(x, {weight, epsilon}, context.tape);
  }
  Tensor after(const Tensor& y, const Tensor& residual, const ops::ResidualRule& rule,
               Context& context) const {
    return ops::residual_rms_norm(y, residual, rule, {weight, epsilon}, context.tape).norm;
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
  }
};

// Over each feature (Ioffe and Szegedy 2015, arXiv 1502.03167): in training by the mean and
// variance of the batch's packed rows, of whatever sentences and later positions; else by running
// ones, so that a sentence's result does not depend on the others. A pass changes nothing here:
// what it saw goes into the context's statistics, whose update makes the running ones of it, as
// PyTorch has it:
//   running = (1 - momentum) * running + momentum * seen,
// of means and of variances with Bessel's correction. Frozen running ones are used in training too.
struct BatchNorm {
  Parameter weight, bias;               // [1, D]
  Parameter running_mean, running_var;  // [1, D], never differentiated
  double epsilon = 1e-5;
  double momentum = 0.1;  // what a batch counts in the running statistics

  BatchNorm() = default;
  BatchNorm(int64_t features, double small, double of_a_batch)
      : weight({1, features}, Init::kOnes),
        bias({1, features}, Init::kZeros),
        running_mean({1, features}, Init::kZeros),
        running_var({1, features}, Init::kOnes),
        epsilon(small),
        momentum(of_a_batch) {
    running_mean.is_statistic = running_var.is_statistic = true;
  }

  Tensor operator()(const Tensor& x, Context& context) const;
  Tensor after(const Tensor& y, const Tensor& residual, const ops::ResidualRule& rule,
               Context& context) const {
    return (*this)(ops::residual_sum(y, residual, rule, context.tape), context);
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
    v("running_mean", running_mean);
    v("running_var", running_var);
  }
};

struct NormOptions {
  std::string kind = "layer";
  int64_t features = 512;
  double epsilon = 1e-5;
  double momentum = 0.1;  // of batch norm
};

struct Norm {
  std::variant<LayerNorm, RmsNorm, BatchNorm> kind;

  Tensor operator()(const Tensor& x, Context& context) const {
    return std::visit([&](const auto& norm) { return norm(x, context); }, kind);
  }
  Tensor after(const Tensor& y, const Tensor& residual, const ops::ResidualRule& rule,
               Context& context) const {
    return std::visit([&](const auto& norm) { return norm.after(y, residual, rule, context); },
                      kind);
  }
  bool is_present() const {
    return std::visit([](const auto& norm) { return norm.weight.is_present(); }, kind);
  }
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& norm) { norm.fields(v); }, kind);
  }
};

// "layer", "rms" or "batch"; throws OptionError for another name.
Norm make_norm(const NormOptions& options);

// What connects a sublayer to the residual stream.
struct Connection {
  const Norm& norm;
  ops::ResidualRule rule;
  ops::DropoutSite path;  // of stochastic depth

  // What the sublayer adds, left out for some sentences where there is such a site.
  Tensor thinned(const Tensor& y, Context& context) const;
};

// The sublayer connection of the paper: norm(x + drop(f(x))) (Vaswani et al. 2017).
struct PostNorm {
  template <class F>
  Tensor operator()(const Tensor& x, const Connection& by, Context& context, F&& sublayer) const {
    return by.norm.after(by.thinned(sublayer(x), context), x, by.rule, context);
  }
};

// x + drop(f(norm(x))): trains without warm-up (Xiong et al. 2020, arXiv 2002.04745); the stack
// ends with a norm of its own.
struct PreNorm {
  template <class F>
  Tensor operator()(const Tensor& x, const Connection& by, Context& context, F&& sublayer) const {
    const Tensor y = by.thinned(sublayer(by.norm(x, context)), context);
    return ops::residual_sum(y, x, by.rule, context.tape);
  }
};

using NormPlace = std::variant<PostNorm, PreNorm>;

// "post" or "pre"; throws OptionError for another name.
NormPlace make_norm_place(std::string_view name);

// How a layer's sublayers join the residual stream.
struct Residual {
  NormPlace place;
  double dropout = 0;  // on what a sublayer adds
  double scale = 1;    // of the residual

  // The stream x [N, D] after sublayer(h [N, D]) with its norm.
  template <class F>
  Tensor operator()(const Tensor& x, const Norm& norm, const ops::RowsPtr& rows, Context& context,
                    F&& sublayer) const {
    Connection by{norm, {context.dropout(dropout, rows), scale}, {}};
    if (context.drop_path > 0) by.path = context.dropout(context.drop_path, rows);
    return std::visit([&](const auto& p) { return p(x, by, context, sublayer); }, place);
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_NORM_H_
