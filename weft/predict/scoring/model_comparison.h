// How the predictions of two language models differ on texts.
#ifndef WEFT_PREDICT_SCORING_MODEL_COMPARISON_H_
#define WEFT_PREDICT_SCORING_MODEL_COMPARISON_H_

#include <cstdint>
#include <span>
#include <string>

#include "weft/model_file/language_model.h"
#include "weft/predict/scoring/score_texts.h"

namespace weft::predict {

struct ModelComparison {
  int64_t tokens = 0;       // whose next token is predicted
  double largest = 0;       // difference of logits, as a share of the largest logit
  double divergence = 0;    // mean KL divergence from the first to the second, nats a token
  int64_t same_best = 0;    // tokens with the same most probable next token
  TextScore first, second;  // of the tokens of the texts

  bool is_finite() const;
};

// By both models, with all weights in F32 or packed. Of texts longer than a model's context the end
// is not read. Throws OptionError for models that read a text as different tokens.
ModelComparison compare_models(const model_file::LanguageModelSession& first,
                               const model_file::LanguageModelSession& second,
                               std::span<const std::string> texts);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_SCORING_MODEL_COMPARISON_H_
