// Evaluations of models of each kind, as weft::evaluate_model() has them.
#ifndef WEFT_API_EVALUATE_EVALUATIONS_H_
#define WEFT_API_EVALUATE_EVALUATIONS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "weft/api/read_options.h"
#include "weft/evaluate.h"
#include "weft/metrics/confusion.h"
#include "weft/metrics/label_report.h"

namespace weft::api {

using Json = nlohmann::ordered_json;

struct EvaluationInput {
  const std::vector<Model>& models;
  const std::vector<std::string>& files;
  const Options& options;
  const OnPrediction& on_prediction;

  // Calls on_prediction with the prediction, if there is one.
  void pass(const Json& prediction) const;
};

// Throws OptionError for several models.
const Model& only(const EvaluationInput& in);

// The options of a class that predicts, and those of the evaluation of its models.
template <class Prediction, class Evaluation>
struct EvaluationOptions {
  Prediction prediction;
  Evaluation evaluation;

  template <class V>
  void fields(V& v) {
    prediction.fields(v);
    evaluation.fields(v);
  }
  void validate() const {
    if constexpr (requires { evaluation.validate(); }) evaluation.validate();
  }
};

// Whether the confusion matrix is wanted, too.
struct ConfusionOption {
  bool confusion = false;

  template <class V>
  void fields(V& v) {
    v("confusion", confusion,
      {.help =
           "also the confusion matrix: a row for each expected label, a column for each predicted "
           "one, with tabs between columns"});
  }
};

ModelEvaluation evaluate_classifier(const EvaluationInput& in);
ModelEvaluation evaluate_tagger(const EvaluationInput& in);
ModelEvaluation evaluate_detector(const EvaluationInput& in);
ModelEvaluation evaluate_transcriber(const EvaluationInput& in);
ModelEvaluation evaluate_cross_view(const EvaluationInput& in);
const OptionSchema& classifier_evaluation_schema();
const OptionSchema& tagger_evaluation_schema();
const OptionSchema& detector_evaluation_schema();
const OptionSchema& transcriber_evaluation_schema();
const OptionSchema& cross_view_evaluation_schema();

// Over several lines, with a line feed at the end; text that is not UTF-8 has replacement
// characters.
std::string json_page(const Json& json);
// {"NUM": {"precision": ..., "recall": ..., "f1": ..., "support": ...}, ...}
Json report_json(const metrics::LabelReport& report);
// {"labels": [...], "counts": [[...], ...]}: a row for each expected label.
Json confusion_json(const metrics::ConfusionMatrix& confusion, std::span<const std::string> names);
// Not a long tail of digits: 0.981237.
double rounded(double value);
// With the fewest digits that are read as the same float: 0.1, not 0.10000000149011612.
double shortest(float value);

}  // namespace weft::api

#endif  // WEFT_API_EVALUATE_EVALUATIONS_H_
