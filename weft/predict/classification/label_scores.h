// Numbers for each label of some examples.
#ifndef WEFT_PREDICT_CLASSIFICATION_LABEL_SCORES_H_
#define WEFT_PREDICT_CLASSIFICATION_LABEL_SCORES_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::predict {

// A row of C numbers for each of n examples.
struct LabelScores {
  std::vector<float> values;  // [n, C]
  int64_t labels = 0;         // C

  int64_t texts() const { return labels == 0 ? 0 : std::ssize(values) / labels; }
  std::span<const float> operator[](int64_t text) const {
    return std::span(values).subspan(text * labels, labels);
  }
  std::span<float> operator[](int64_t text) {
    return std::span(values).subspan(text * labels, labels);
  }
};

using ExpectedLabels = std::vector<std::vector<int32_t>>;  // of each example

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CLASSIFICATION_LABEL_SCORES_H_
