// The functions from attention scores to attention probabilities.
#ifndef WEFT_NN_ATTENTION_ACTIVATION_H_
#define WEFT_NN_ATTENTION_ACTIVATION_H_

#include "weft/ops/fused/attention.h"
#include "weft/options/fields.h"

namespace weft::nn {

// A kind has kFunction, and kElementwise: whether a probability comes from its own score alone.
struct SoftmaxActivation {
  static constexpr std::string_view kName = "softmax";
  static constexpr auto kFunction = ops::ScoreFunction::kSoftmax;
  static constexpr bool kElementwise = false;
};
struct ReluActivation {
  static constexpr std::string_view kName = "relu";
  static constexpr std::string_view kHelp = "over the number of keys (Wortsman et al. 2023)";
  static constexpr auto kFunction = ops::ScoreFunction::kRelu;
  static constexpr bool kElementwise = true;
};
struct SquaredReluActivation {
  static constexpr std::string_view kName = "relu2";
  static constexpr std::string_view kHelp = "its square (Hua et al. 2022)";
  static constexpr auto kFunction = ops::ScoreFunction::kSquaredRelu;
  static constexpr bool kElementwise = true;
};
struct SigmoidActivation {
  static constexpr std::string_view kName = "sigmoid";
  static constexpr std::string_view kHelp = "Ramapuram et al. 2024";
  static constexpr auto kFunction = ops::ScoreFunction::kSigmoid;
  static constexpr bool kElementwise = true;
};
struct SparsemaxActivation {
  static constexpr std::string_view kName = "sparsemax";
  static constexpr std::string_view kHelp = "Martins and Astudillo 2016";
  static constexpr auto kFunction = ops::ScoreFunction::kSparsemax;
  static constexpr bool kElementwise = false;
};
struct Entmax15Activation {
  static constexpr std::string_view kName = "entmax15";
  static constexpr std::string_view kHelp = "Peters et al. 2019";
  static constexpr auto kFunction = ops::ScoreFunction::kEntmax15;
  static constexpr bool kElementwise = false;
};

using ActivationKinds = options::OneOf<SoftmaxActivation, ReluActivation, SquaredReluActivation,
                                       SigmoidActivation, SparsemaxActivation, Entmax15Activation>;

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_ACTIVATION_H_
