// Files of predictions beside what was expected, as --evaluate --predictions of each command writes
// them, and the metrics of their kind. A line is a JSON object for an example:
//
//   {"expected": ["NUM"], "labels": ["NUM"]}                     weft classify
//   {"expected": [["O", "B-X"]], "tags": [["O", "O"]]}           weft tag: columns of labels
//   {"expected": "a text", "text": "a test"}                     weft transcribe
//   {"expected": [{"label": "cup", "box": [x, y, width, height]}],
//    "boxes": [{"label": "cup", "box": [...], "score": 0.9}]}    weft detect
//   {"expected": [0.5, 1], "numbers": [0.4, 1.2]}                weft motion
//   {"error": 0.25}                                              weft complete
//
// Other members are not read.
#ifndef APPS_WEFT_OUTPUT_PREDICTIONS_H_
#define APPS_WEFT_OUTPUT_PREDICTIONS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "weft/metrics/paired_bootstrap.h"

namespace weft::app {

// A metric of one system over all examples and over samples of them.
struct SystemMetric {
  std::string name;
  metrics::SampledMetric metric;

  double score() const;  // of all examples
};

class Predictions {
 public:
  // Throws FileError, and FormatError for a file of another form.
  explicit Predictions(const std::string& path);

  // Throws FormatError unless `other` has predictions of the same kind and of the same examples.
  void check_same_examples(const Predictions& other) const;
  // Throws FormatError for members of another form.
  std::vector<SystemMetric> metrics() const;

 private:
  std::string path_;
  std::string kind_;  // the member that has the prediction: "labels"
  std::vector<nlohmann::json> lines_;
};

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_PREDICTIONS_H_
