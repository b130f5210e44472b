// The metrics of each kind of predictions (apps/weft/output/predictions.h).
#ifndef APPS_WEFT_OUTPUT_PREDICTION_METRICS_H_
#define APPS_WEFT_OUTPUT_PREDICTION_METRICS_H_

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/weft/output/predictions.h"
#include "weft/core/error.h"

namespace weft::app {

// The lines of a file, whose members have the types that are read.
struct ExampleReader {
  const std::string& path;
  const std::vector<nlohmann::json>& lines;

  // Calls take(line) for each. Throws FormatError, naming the line, where that throws one and where
  // a member has another type.
  template <class Take>
  void each(Take take) const {
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto fail_line = [&](const std::exception& error) {
        fail<FormatError>(fmt::format("{}:{}", path, i + 1),
                          "not as --evaluate --predictions writes it: {}", error.what());
      };
      try {
        take(lines[i]);
      } catch (const nlohmann::json::exception& error) {
        fail_line(error);
      } catch (const FormatError& error) {
        fail_line(error);
      }
    }
  }
};

// The mean of a number of each example, or of several: rows of a sum and a count.
metrics::Statistics mean_of_rows();
void add_row(metrics::Statistics& out, double sum, double count);
SystemMetric metric_of(std::string name, metrics::Statistics statistics);

// Numbers for names as they come.
class Names {
 public:
  int32_t id(const std::string& name) {
    return ids_.emplace(name, static_cast<int32_t>(ids_.size())).first->second;
  }
  int32_t count() const { return static_cast<int32_t>(ids_.size()); }

 private:
  std::map<std::string, int32_t> ids_;
};

std::vector<SystemMetric> label_metrics(const ExampleReader& examples);
std::vector<SystemMetric> tag_metrics(const ExampleReader& examples);
std::vector<SystemMetric> text_metrics(const ExampleReader& examples);
std::vector<SystemMetric> box_metrics(const ExampleReader& examples);
std::vector<SystemMetric> number_metrics(const ExampleReader& examples);
std::vector<SystemMetric> error_metrics(const ExampleReader& examples);

}  // namespace weft::app

#endif  // APPS_WEFT_OUTPUT_PREDICTION_METRICS_H_
