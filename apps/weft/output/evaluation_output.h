// What commands write with --evaluate: their results as JSON, and each prediction beside what was
// expected, as weft compare reads it (apps/weft/output/predictions.h).
#ifndef APPS_WEFT_OUTPUT_EVALUATION_OUTPUT_H_
#define APPS_WEFT_OUTPUT_EVALUATION_OUTPUT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/weft/input/lines.h"
#include "weft/metrics/confusion.h"
#include "weft/metrics/label_report.h"
#include "weft/options/option_table.h"

namespace weft::app {

using Json = nlohmann::ordered_json;

struct EvaluationOutputOptions {
  std::string predictions;
  bool json = false;

  template <class V>
  void fields(V& v) {
    v("predictions", predictions,
      {.help = "also write to this file what was predicted beside what was expected, a line of "
               "JSON for each example, as weft compare reads it",
       .writes = true});
    v("json", json, {.help = "print the results as JSON"});
  }
  static bool is_option(std::string_view name) {
    return name == "predictions" || name == "json" || name == "confusion";
  }
};

// Of commands that label.
struct LabelEvaluationOptions : EvaluationOutputOptions {
  bool confusion = false;

  template <class V>
  void fields(V& v) {
    v("confusion", confusion,
      {.help =
           "also print the confusion matrix, with tabs between columns: a row for each expected "
           "label, a column for each predicted one"});
    EvaluationOutputOptions::fields(v);
  }
};

// Throws OptionError for an option of an evaluation, one above or is_of_evaluation(name), without
// --evaluate, and for one of the usual output, is_of_output(name), with it.
template <class Options, class IsOfEvaluation, class IsOfOutput>
void check_evaluation(const Options& o, bool evaluates, const IsOfEvaluation& is_of_evaluation,
                      const IsOfOutput& is_of_output) {
  const auto is_read = [&](std::string_view name) {
    if (evaluates) return !is_of_output(name);
    return !is_of_evaluation(name) && !EvaluationOutputOptions::is_option(name);
  };
  options::check_unread(o, is_read, evaluates ? "with --evaluate" : "without --evaluate");
}

// The file of --predictions, if it is given.
class PredictionFile {
 public:
  // Throws FileError, as writing does.
  explicit PredictionFile(const EvaluationOutputOptions& options);

  explicit operator bool() const { return sink_.has_value(); }
  void write(const Json& prediction);

 private:
  std::optional<LineSink> sink_;
};

// On one line; text that is not UTF-8 has replacement characters.
std::string json_line(const Json& json);
// Over several lines, with a line feed at the end.
std::string json_page(const Json& json);
// {"NUM": {"precision": ..., "recall": ..., "f1": ..., "support": ...}, ...}
Json report_json(const metrics::LabelReport& report);
// {"labels": [...], "counts": [[...], ...]}: a row for each expected label.
Json confusion_json(const metrics::ConfusionMatrix& confusion, std::span<const std::string> names);
// Not a long tail of digits: 0.981237.
double rounded(double value);

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_EVALUATION_OUTPUT_H_
