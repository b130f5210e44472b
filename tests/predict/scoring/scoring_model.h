// A language model whose texts are scored, and the scores by their definition.
#ifndef WEFT_TESTS_PREDICT_SCORING_SCORING_MODEL_H_
#define WEFT_TESTS_PREDICT_SCORING_SCORING_MODEL_H_

#include <cmath>
#include <vector>

#include "tests/model_file/small_language_model.h"

namespace weft::predict {

// log p of ids[position] after the tokens before it, in double.
inline double log_probability_of(const model_file::LanguageModelSession& session,
                                 const std::vector<int32_t>& ids, int64_t position) {
  data::Tokens before;
  before.add(std::span(ids).first(static_cast<size_t>(position)));
  const Tensor logits = session.model.logits(before, {});
  double sum = 0;
  const auto last = logits.row_range(logits.rows() - 1, logits.rows()).span<float>();
  for (const float x : last) sum += std::exp(double{x});
  return last[static_cast<size_t>(ids[static_cast<size_t>(position)])] - std::log(sum);
}

// Of ids[first] to the last.
inline double sum_of_log_probabilities(const model_file::LanguageModelSession& session,
                                       const std::vector<int32_t>& ids, int64_t first) {
  double sum = 0;
  for (int64_t i = first; i < std::ssize(ids); ++i) sum += log_probability_of(session, ids, i);
  return sum;
}

// The words w0 to w36 in an order of their own.
inline std::string words(int64_t count, int64_t step = 5) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) {
    out += (i == 0 ? "w" : " w") + std::to_string((i * step + i / 7) % 37);
  }
  return out;
}

}  // namespace weft::predict

#endif  // WEFT_TESTS_PREDICT_SCORING_SCORING_MODEL_H_
