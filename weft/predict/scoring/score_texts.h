// Log-probabilities of given tokens by a language model.
#ifndef WEFT_PREDICT_SCORING_SCORE_TEXTS_H_
#define WEFT_PREDICT_SCORING_SCORE_TEXTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "weft/models/language_model.h"
#include "weft/predict/predictor.h"
#include "weft/score.h"

namespace weft::predict {

// Tokens of a text, of which those from `first` on are scored, each given all before it.
struct ScoringRequest {
  std::vector<int32_t> ids;
  int64_t first = 1;  // 1 to ids.size() - 1
  int64_t bytes = 0;  // of the text of the tokens that are scored
};

// Adds the texts of an input, or its fault if there is one.
void add_texts(std::vector<ScoringRequest> texts, const std::optional<Fault>& fault, size_t input,
               Prepared<ScoringRequest>& out, Report& report);

// The score of each text, in order, by passes over `rows` tokens together, or one text; its
// log-probability is NaN where the model's scores are not finite. A text's score does not depend on
// the others.
std::vector<TextScore> score_texts(const models::LanguageModel& model,
                                   std::span<const ScoringRequest> texts, int64_t rows);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_SCORING_SCORE_TEXTS_H_
