#include "apps/weft/output/evaluation_output.h"

#include <cmath>

namespace weft::app {

PredictionFile::PredictionFile(const EvaluationOutputOptions& options) {
  if (!options.predictions.empty()) sink_.emplace(options.predictions);
}

void PredictionFile::write(const Json& prediction) {
  if (sink_) sink_->write({json_line(prediction)});
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_page(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json report_json(const metrics::LabelReport& report) {
  Json out = Json::object();
  for (const metrics::LabelRow& row : report.rows) {
    out[row.label] = {{"precision", row.score.precision},
                      {"recall", row.score.recall},
                      {"f1", row.score.f1},
                      {"support", row.counts.expected}};
  }
  return out;
}

Json confusion_json(const metrics::ConfusionMatrix& confusion, std::span<const std::string> names) {
  Json counts = Json::array();
  for (int32_t expected = 0; expected < confusion.labels(); ++expected) {
    Json row = Json::array();
    for (int32_t predicted = 0; predicted < confusion.labels(); ++predicted) {
      row.push_back(confusion.count(expected, predicted));
    }
    counts.push_back(std::move(row));
  }
  return {{"labels", std::vector<std::string>(names.begin(), names.end())},
          {"counts", std::move(counts)}};
}

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

}  // namespace weft::app
