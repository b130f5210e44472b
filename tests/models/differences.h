// Gradients of whole models against finite differences, and in bfloat16 against float32.
#ifndef WEFT_TESTS_MODELS_DIFFERENCES_H_
#define WEFT_TESTS_MODELS_DIFFERENCES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/tensors.h"
#include "weft/core/random.h"
#include "weft/data/batch.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/nn/parameters.h"

namespace weft::models {

struct LossAndGradient {
  double loss;
  Tensor gradient;  // flat, as the parameters are
};

// The model's parameters, in double and in no special place: nothing may hide behind a bias of 0.
template <class Model>
Tensor bind_in_no_special_place(Model& model) {
  const auto named = nn::parameters_of(model);
  const Tensor flat = nn::bind(named, DType::kF64);
  nn::initialise(named, 3);
  RandomStream random(1, 1);
  for (double& x : flat.span<double>()) x += 0.1 * random.normal();
  return flat;
}

// Takes about a dozen elements of each parameter.
template <class Model>
void expect_gradient_of_differences(Model& model, const Tensor& flat,
                                    const std::function<LossAndGradient()>& run) {
  const Tensor gradient = run().gradient;
  double* const at = flat.data<double>();
  constexpr double kStep = 1e-5;
  for (const auto& [name, p] : nn::parameters_of(model)) {
    const int64_t begin = p->value.storage_offset();
    const int64_t stride = std::max<int64_t>(1, p->value.size() / 12);
    for (int64_t i = begin; i < begin + p->value.size(); i += stride) {
      const double before = at[i];
      at[i] = before + kStep;
      const double above = run().loss;
      at[i] = before - kStep;
      const double below = run().loss;
      at[i] = before;
      ASSERT_NEAR(gradient.data<double>()[i], (above - below) / (2 * kStep), 1e-7)
          << name << ", " << i - begin;
    }
  }
}

// run(batch), its dropout included, of all sequences and of parts of them.
template <class Run>
void expect_a_batch_to_be_the_sum_of_its_parts(data::Batch all, Run run) {
  data::set_first(all, 20);
  const LossAndGradient whole = run(all);
  double loss = 0;
  const Tensor sum = Tensor::zeros(whole.gradient.shape(), DType::kF64);
  for (const auto& [begin, end] : {std::pair<int64_t, int64_t>{0, 1}, {1, 6}, {6, 9}}) {
    const LossAndGradient part = run(data::slice(all, begin, end));
    loss += part.loss;
    backend_of(sum)(kernels::Accumulate{.alpha = 1, .x = part.gradient, .y = sum});
  }
  EXPECT_NEAR(loss, whole.loss, 1e-12);
  EXPECT_LT(test::distance(sum, whole.gradient), 1e-12);
}

// run(model, parameters), in turn with each part frozen whose parameters' names hold one of these.
template <class Model, class Run>
void expect_frozen_parts_to_change_no_other_gradient(const Model& model, const Tensor& flat,
                                                     Run run) {
  const LossAndGradient whole = run(model, flat);
  for (const char* part :
       {".encoder.", ".decoder.", "shared", "weight", "bias", "layers.0", "q_proj", "k_proj",
        "v_proj", "encoder_attn", "layer_norm", "output_norm"}) {
    Model frozen = model;
    for (const auto& [name, p] : nn::parameters_of(frozen)) {
      if (name.find(part) != std::string::npos) p->freeze();
    }
    const LossAndGradient rest = run(frozen, flat);
    EXPECT_EQ(rest.loss, whole.loss) << part;
    for (const auto& [name, p] : nn::parameters_of(frozen)) {
      if (p->is_frozen) continue;
      const int64_t begin = p->value.storage_offset(), end = begin + p->value.size();
      EXPECT_LT(
          test::distance(rest.gradient.col_range(begin, end), whole.gradient.col_range(begin, end)),
          1e-6)
          << name << ", without " << part;
    }
  }
}

// The cosine of the angle between two gradients in float32.
inline double cosine(const Tensor& one, const Tensor& other) {
  double dot = 0, one_squared = 0, other_squared = 0;
  const auto x = one.span<float>(), y = other.span<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    dot += double{x[i]} * y[i];
    one_squared += double{x[i]} * x[i];
    other_squared += double{y[i]} * y[i];
  }
  return dot / std::sqrt(one_squared * other_squared);
}

// Binds a copy of a model to its parameters rounded to BF16, which are returned.
template <class Model>
Tensor bind_rounded(Model& copy, const Tensor& flat) {
  const Tensor parameters = nn::bind(nn::parameters_of(copy), DType::kBF16);
  backend_of(flat)(kernels::Copy{.x = flat, .y = parameters});
  return parameters;
}

}  // namespace weft::models

#endif  // WEFT_TESTS_MODELS_DIFFERENCES_H_
