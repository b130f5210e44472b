// The distances that --loss selects, between the predicted distribution and the smoothed target.
#ifndef WEFT_TASKS_TRANSLATION_OBJECTIVE_LOSS_H_
#define WEFT_TASKS_TRANSLATION_OBJECTIVE_LOSS_H_

#include "weft/ops/losses/cross_entropy.h"
#include "weft/options/fields.h"

namespace weft::tasks {

struct CrossEntropyLoss {
  static constexpr std::string_view kName = "cross-entropy";
  static constexpr auto kKind = ops::LossKind::kCrossEntropy;
};
struct KlLoss {
  static constexpr std::string_view kName = "kl";
  static constexpr std::string_view kHelp = "cross-entropy minus the target's entropy";
  static constexpr auto kKind = ops::LossKind::kKl;
};
struct EuclideanLoss {
  static constexpr std::string_view kName = "euclidean";
  static constexpr std::string_view kHelp = "distance of the two vectors";
  static constexpr auto kKind = ops::LossKind::kEuclidean;
};
struct SquaredEuclideanLoss {
  static constexpr std::string_view kName = "squared-euclidean";
  static constexpr std::string_view kHelp = "its square";
  static constexpr auto kKind = ops::LossKind::kSquaredEuclidean;
};

using LossKinds = options::OneOf<CrossEntropyLoss, KlLoss, EuclideanLoss, SquaredEuclideanLoss>;

// Calls visit() for options that need a loss with a logarithm of the predicted distribution.
template <class V, class F>
void with_entropy(V& v, const LossKinds& loss, F&& visit) {
  options::belongs_to<CrossEntropyLoss, KlLoss>(v, "loss", &loss.selection(), visit);
}

}  // namespace weft::tasks

#endif  // WEFT_TASKS_TRANSLATION_OBJECTIVE_LOSS_H_
