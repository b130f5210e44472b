// Predictions whose report no one reads, and translations as they are written.
#ifndef WEFT_TESTS_PREDICT_PREDICTED_H_
#define WEFT_TESTS_PREDICT_PREDICTED_H_

#include <string>
#include <vector>

#include "weft/predict/predictor.h"
#include "weft/predict/translation/translator.h"

namespace weft::test {

inline std::vector<weft::Line> lines_of(const std::vector<std::string>& texts) {
  std::vector<weft::Line> out;
  for (const std::string& text : texts) out.push_back({.text = text});
  return out;
}

template <class Predictor, class Input>
auto predicted(const Predictor& predictor, const std::vector<Input>& inputs) {
  Report report;
  return predict::predict(predictor, inputs, report);
}

// The texts that are written for lines, whose numbers go on in the report.
inline std::vector<std::string> translated(const predict::Translator& translator,
                                           const std::vector<std::string>& texts, Report& report) {
  std::vector<std::string> out;
  int64_t number = report.inputs;
  for (const auto& line : predict::predict(translator, lines_of(texts), report)) {
    out.push_back(predict::written(line, number++, translator.options()));
  }
  return out;
}
inline std::vector<std::string> translated(const predict::Translator& translator,
                                           const std::vector<std::string>& texts) {
  Report report;
  return translated(translator, texts, report);
}

}  // namespace weft::test

#endif  // WEFT_TESTS_PREDICT_PREDICTED_H_
