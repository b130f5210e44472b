// The scores that a tagger gives labels, and the labels that follow from them.
#ifndef WEFT_MODELS_TAG_SCORES_H_
#define WEFT_MODELS_TAG_SCORES_H_

#include <span>
#include <string>
#include <vector>

#include "weft/models/tagger_options.h"
#include "weft/ops/losses/crf.h"
#include "weft/ops/losses/cross_entropy.h"

namespace weft::models {

// What a head gives.
struct LabelColumn {
  int64_t labels = 0;       // C
  bool is_of_text = false;  // one for the whole text, else one for each word
  bool has_crf = false;
  ops::AllowedTagsPtr allowed = {};  // of a CRF over tags of spans, else null
};

// The columns of label sets, the first `of_words` of which are of words.
std::vector<LabelColumn> label_columns(const TaggerOptions& options,
                                       const std::vector<std::vector<std::string>>& labels,
                                       size_t of_words);

// The scores of labels before any softmax: of each word [W, C], or of each text [B, C]. With a CRF,
// those of transitions besides.
struct ColumnScores {
  Tensor emissions;
  Tensor transitions, start, end;  // [C, C], [1, C], [1, C]; empty without a CRF
};
struct TagScores {
  ops::LayoutPtr words;  // W rows, those of a text together
  std::vector<ColumnScores> columns;
};

// Whether all scores of a text are numbers, and those of transitions.
bool is_finite(const TagScores& scores, std::span<const LabelColumn> columns, int64_t text);

// The loss of the labels of each text, by the CRF of a column; words of texts whose labels are not
// allowed are left out.
ops::Loss crf_loss(const ColumnScores& scores, const ops::CrfTargets& targets,
                   const ops::CrfParams& params, autograd::Tape* tape);

// Given labels, and the probability of each where it is asked for.
struct PredictedLabels {
  std::vector<int32_t> labels;  // of each word, or text
  std::vector<float> probabilities;
};
// The most probable labels of a column: of a CRF those of the most probable path, with their
// marginal probabilities.
PredictedLabels best_labels(const ColumnScores& scores, const LabelColumn& column,
                            const ops::LayoutPtr& words, bool with_probabilities);

// The scores of several models of the same columns as one: the mean of log p, and of a CRF's
// scores.
TagScores mean_scores(std::span<const TagScores> all);

}  // namespace weft::models

#endif  // WEFT_MODELS_TAG_SCORES_H_
