// Metrics of predicted numbers.
#include <memory>

#include "apps/weft/output/prediction_metrics.h"
#include "weft/metrics/regression.h"

namespace weft::app {
namespace {

// One of the numbers of each example.
struct NumberColumn {
  std::vector<double> expected, predicted;
};
using NumberColumns = std::vector<NumberColumn>;

NumberColumns read_columns(const ExampleReader& examples) {
  NumberColumns out;
  examples.each([&](const nlohmann::json& line) {
    const auto expected = line.at("expected").get<std::vector<double>>();
    const auto predicted = line.at("numbers").get<std::vector<double>>();
    if (out.empty()) out.resize(expected.size());
    for (const auto& numbers : {expected, predicted}) {
      if (numbers.size() == out.size()) continue;
      fail<FormatError>("numbers", "{} numbers; expected {}", numbers.size(), out.size());
    }
    for (size_t k = 0; k < out.size(); ++k) {
      out[k].expected.push_back(expected[k]);
      out[k].predicted.push_back(predicted[k]);
    }
  });
  return out;
}

using NumberScore = double (*)(std::span<const double> expected, std::span<const double> predicted);

// The mean over columns, of these examples.
double mean_score(const NumberColumns& columns, NumberScore score,
                  std::span<const int32_t> numbers) {
  double sum = 0;
  for (const NumberColumn& column : columns) {
    NumberColumn sample;
    for (const int32_t number : numbers) {
      sample.expected.push_back(column.expected[static_cast<size_t>(number)]);
      sample.predicted.push_back(column.predicted[static_cast<size_t>(number)]);
    }
    sum += score(sample.expected, sample.predicted);
  }
  return columns.empty() ? 0 : sum / static_cast<double>(columns.size());
}

}  // namespace

std::vector<SystemMetric> number_metrics(const ExampleReader& examples) {
  const auto columns = std::make_shared<const NumberColumns>(read_columns(examples));
  std::vector<SystemMetric> out;
  const auto add = [&](std::string name, NumberScore score) {
    out.push_back({std::move(name),
                   {std::ssize(examples.lines), [columns, score](std::span<const int32_t> numbers) {
                      return mean_score(*columns, score, numbers);
                    }}});
  };
  add("mean absolute error", metrics::mean_absolute_error);
  add("root mean squared error", metrics::root_mean_squared_error);
  add("R2", metrics::r2_score);
  add("Pearson", metrics::pearson_correlation);
  add("Spearman", metrics::spearman_correlation);
  return out;
}

}  // namespace weft::app
