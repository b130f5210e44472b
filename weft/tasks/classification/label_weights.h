// How much each label counts in the loss of a classifier.
#ifndef WEFT_TASKS_CLASSIFICATION_LABEL_WEIGHTS_H_
#define WEFT_TASKS_CLASSIFICATION_LABEL_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "weft/data/labels/label_set.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::tasks {

// Texts that have each label, of all texts.
struct LabelFrequencies {
  std::vector<int64_t> counts;  // [labels]
  int64_t texts = 0;
};

// Of --class-weights: null for none, where each counts 1. "balanced" is texts / (labels * count) of
// a label, as in scikit-learn; of texts with several labels (texts - count) / count, at most 100,
// as PyTorch proposes for positive weights. Throws OptionError for what is neither that nor
// LABEL=WEIGHT, for a label that is not in the set, and for a weight that is no number from 0 to
// 1e6.
ops::RowWeights label_weights(const std::vector<std::string>& values, const data::LabelSet& labels,
                              const LabelFrequencies& frequencies, bool is_one_label);

}  // namespace weft::tasks

#endif  // WEFT_TASKS_CLASSIFICATION_LABEL_WEIGHTS_H_
