// Kinds of norm, and the residual connection of a sublayer with its norm.
#ifndef WEFT_NN_NORM_H_
#define WEFT_NN_NORM_H_

#include <functional>
#include <variant>

#include "weft/nn/context.h"
#include "weft/nn/parameters.h"
#include "weft/nn/statistics.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/options/fields.h"

namespace weft::nn {

// A kind of norm has norm(x, context), and norm.of_sum(y, residual, params, context), which is the
// norm of scale * residual + dropout(y); all [N, D].

// Over each row (Ba et al. 2016, arXiv 1607.06450).
struct LayerNorm {
  Parameter weight;  // [1, D]
  Parameter bias;    // [1, D], where there is one
  double epsilon = 1e-5;

  LayerNorm() = default;
  LayerNorm(int64_t features, double small, bool has_bias = true)
      : weight({1, features}, Init::kOnes),
        bias(has_bias ? Parameter({1, features}, Init::kZeros) : Parameter()),
        epsilon(small) {}

  Tensor operator()(const Tensor& x, const Context& context) const {
    const Tensor beta = bias_or_zeros();
    return ops::layer_norm(x, {weight, beta, epsilon}, context.tape);
  }
  Tensor of_sum(const Tensor& y, const Tensor& residual, const ops::ResidualParams& params,
                const Context& context) const {
    const Tensor beta = bias_or_zeros();
    return ops::residual_norm(y, residual, params, {weight, beta, epsilon}, context.tape).norm;
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
  }

 private:
  Tensor bias_or_zeros() const {
    return bias.is_present() ? bias.value : Tensor::zeros(weight.shape, weight.value.dtype());
  }
};

// Over each row, by its root mean square alone (Zhang and Sennrich 2019, arXiv 1910.07467).
struct RmsNorm {
  Parameter weight;  // [1, D]
  double epsilon = 1e-5;

  RmsNorm() = default;
  RmsNorm(int64_t features, double small) : weight({1, features}, Init::kOnes), epsilon(small) {}

  Tensor operator()(const Tensor& x, const Context& context) const {
    return ops::rms_norm(x, {weight, epsilon}, context.tape);
  }
  Tensor of_sum(const Tensor& y, const Tensor& residual, const ops::ResidualParams& params,
                const Context& context) const {
    return ops::residual_rms_norm(y, residual, params, {weight, epsilon}, context.tape).norm;
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
  }
};

// Over each feature (Ioffe and Szegedy 2015, arXiv 1502.03167): in training by the mean and
// variance of all of the batch's rows, otherwise by the running ones, so that a sequence's result
// does not depend on the others. A pass changes no buffer: it adds to the context's statistics,
// whose update is PyTorch's,
//   running = (1 - momentum) * running + momentum * of_batch,
// for means and for variances with Bessel's correction. Frozen running
// statistics are used in training too.
struct BatchNorm {
  Parameter weight, bias;               // [1, D]
  Parameter running_mean, running_var;  // [1, D], never differentiated
  double epsilon = 1e-5;
  double momentum = 0.1;  // weight of a batch in the running statistics

  BatchNorm() = default;
  BatchNorm(int64_t features, double small, double of_a_batch)
      : weight({1, features}, Init::kOnes),
        bias({1, features}, Init::kZeros),
        running_mean({1, features}, Init::kZeros),
        running_var({1, features}, Init::kOnes),
        epsilon(small),
        momentum(of_a_batch) {
    running_mean.is_buffer = running_var.is_buffer = true;
  }

  Tensor operator()(const Tensor& x, const Context& context) const;
  Tensor of_sum(const Tensor& y, const Tensor& residual, const ops::ResidualParams& params,
                const Context& context) const {
    return (*this)(ops::residual_sum(y, residual, params, context.tape), context);
  }
  template <class V>
  void fields(V& v) {
    v("weight", weight);
    v("bias", bias);
    v("running_mean", running_mean);
    v("running_var", running_var);
  }
};

// make(D, epsilon) is the module.
struct LayerNormOptions {
  static constexpr std::string_view kName = "layer";
  static constexpr std::string_view kHelp = "over each row (Ba et al. 2016)";
  bool bias = true;

  LayerNorm make(int64_t features, double epsilon) const { return {features, epsilon, bias}; }
  template <class V>
  void fields(V& v) {
    v("norm-bias", bias, {.help = "biases of layer norms", .omitted_if = "true"});
  }
};
struct RmsNormOptions {
  static constexpr std::string_view kName = "rms";
  static constexpr std::string_view kHelp =
      "over each row, without mean and bias (Zhang and Sennrich 2019, arXiv 1910.07467)";
  RmsNorm make(int64_t features, double epsilon) const { return {features, epsilon}; }
};
struct BatchNormOptions {
  static constexpr std::string_view kName = "batch";
  static constexpr std::string_view kHelp =
      "over all rows of a batch, with running statistics for inference (Ioffe and Szegedy 2015, "
      "arXiv 1502.03167)";
  double momentum = 0.1;

  BatchNorm make(int64_t features, double epsilon) const { return {features, epsilon, momentum}; }
  template <class V>
  void fields(V& v) {
    v("norm-momentum", momentum,
      {.help = "weight of each batch in the running statistics of batch norm", .min = 0, .max = 1});
  }
};

using NormKinds = options::OneOf<LayerNormOptions, RmsNormOptions, BatchNormOptions>;

struct Norm {
  options::VariantMadeFrom<NormKinds, int64_t, double> kind;

  Tensor operator()(const Tensor& x, const Context& context) const;
  Tensor of_sum(const Tensor& y, const Tensor& residual, const ops::ResidualParams& params,
                const Context& context) const;
  bool is_present() const;
  template <class V>
  void fields(V& v) {
    std::visit([&](auto& norm) { norm.fields(v); }, kind);
  }
};

// A sublayer f: [N, D] from the residual stream [N, D].
using Sublayer = std::function<Tensor(const Tensor& x)>;

// A placement of the norm has add(x, f, params, norm, context), which returns the stream x [N, D]
// after the sublayer f; kInStack, whether the stack ends with a norm; and kOnOutput, whether the
// output of f has a norm.

// norm(scale * x + drop(f(x))), the sublayer connection of the paper (Vaswani et al. 2017).
struct PostNorm {
  static constexpr std::string_view kName = "post";
  static constexpr std::string_view kHelp = "after the sublayer (Vaswani et al. 2017)";
  static constexpr bool kInStack = false, kOnOutput = false;

  static Tensor add(const Tensor& x, const Sublayer& f, const ops::ResidualParams& params,
                    const Norm& norm, const Context& context) {
    return norm.of_sum(f(x), x, params, context);
  }
};

// scale * x + drop(f(norm(x))): trains without warm-up (Xiong et al. 2020, arXiv 2002.04745). A
// norm that is not present leaves x as it is.
struct PreNorm {
  static constexpr std::string_view kName = "pre";
  static constexpr std::string_view kHelp = "before the sublayer (Xiong et al. 2020)";
  static constexpr bool kInStack = true, kOnOutput = false;

  static Tensor add(const Tensor& x, const Sublayer& f, const ops::ResidualParams& params,
                    const Norm& norm, const Context& context) {
    const Tensor y = norm.is_present() ? norm(x, context) : x;
    return ops::residual_sum(f(y), x, params, context.tape);
  }
};

// scale * x + drop(output_norm(f(norm(x)))), the norms of Gemma 2 and 3.
struct SandwichNorm {
  static constexpr std::string_view kName = "sandwich";
  static constexpr std::string_view kHelp =
      "before it, and another one on its output (Gemma 2, arXiv 2408.00118)";
  static constexpr bool kInStack = true, kOnOutput = true;

  static Tensor add(const Tensor& x, const Sublayer& f, const ops::ResidualParams& params,
                    const Norm& norm, const Context& context) {
    return PreNorm::add(x, f, params, norm, context);
  }
};

using NormPlacement = options::OneOf<PostNorm, PreNorm, SandwichNorm>;

struct NormOptions {
  NormPlacement placement = {};
  bool first = true;
  NormKinds kind = {};
  double epsilon = 1e-5;

  template <class V>
  void fields(V& v) {
    options::choice(v, "transformer-norm", placement,
                    {.help = "whether the norm comes after or before the sublayer"});
    v("transformer-first-norm", first,
      {.help = "the norm before the first sublayer of a stack; ModernBERT (arXiv 2412.13663) has "
               "one of embeddings in its place",
       .omitted_if = "true"});
    options::choice(v, "norm-kind", kind, {.help = "kind of norm"});
    v("norm-epsilon", epsilon,
      {.help = "added to the variance, or mean square, in norms", .min = 1e-12, .max = 1});
  }
};

// Of D features.
Norm make_norm(const NormOptions& options, int64_t features);
// The norm at the end of a stack, and that of a sublayer's output, where the placement has one.
Norm make_stack_norm(const NormOptions& options, int64_t features);
Norm make_output_norm(const NormOptions& options, int64_t features);

// The connection of a sublayer to the residual stream: residual(x, rows, context, f) is the stream
// after f, as the placement of the norm says.
struct Residual {
  Norm norm;
  Norm output_norm = {};  // of what f computes, where there is one
  NormPlacement placement;
  double scale = 1;               // of x
  Dropout dropout;                // on what f adds
  uint32_t drop_path_stream = 0;  // of stochastic depth, which skips f for some sequences

  Tensor operator()(const Tensor& x, const ops::LayoutPtr& rows, const Context& context,
                    const Sublayer& f) const;
};

}  // namespace weft::nn

#endif  // WEFT_NN_NORM_H_
