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
  static bool is_option(std::string_view name) { return name == "predictions" || name == "json"; }
};

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
