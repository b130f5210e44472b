#include "apps/weft/output/prediction_metrics.h"

#include <fmt/core.h>

#include <memory>

#include "weft/data/labels/bio.h"
#include "weft/metrics/accuracy.h"
#include "weft/metrics/average_precision.h"
#include "weft/metrics/span_f1.h"
#include "weft/metrics/text/text_metrics.h"

namespace weft::app {
namespace {

using metrics::LabelCounts;
using metrics::Statistics;
using JsonLine = nlohmann::json;
using Words = std::vector<std::string>;

data::Box box_of(const JsonLine& object) {
  const auto numbers = object.at("box").get<std::array<double, 4>>();
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

// One column of tags over all texts.
struct TagColumn {
  Statistics accuracy = mean_of_rows();
  Statistics spans{.width = 3, .score = [](std::span<const double> sums) {
                     return metrics::f1_of({.correct = static_cast<int64_t>(sums[0]),
                                            .predicted = static_cast<int64_t>(sums[1]),
                                            .expected = static_cast<int64_t>(sums[2])})
                         .f1;
                   }};
  std::vector<std::string> labels;  // all that were expected

  void add(const Words& expected, const Words& given) {
    metrics::check_same_count("tags", expected.size(), given.size());
    double right = 0;
    for (size_t i = 0; i < expected.size(); ++i) right += expected[i] == given[i] ? 1 : 0;
    add_row(accuracy, right, static_cast<double>(expected.size()));
    metrics::SpanF1 text;
    text.add(std::vector<std::string_view>(expected.begin(), expected.end()),
             std::vector<std::string_view>(given.begin(), given.end()));
    LabelCounts sum;
    for (const metrics::LabelRow& row : text.report().rows) sum += row.counts;
    for (const int64_t count : {sum.correct, sum.predicted, sum.expected}) {
      spans.values.push_back(static_cast<double>(count));
    }
    labels.insert(labels.end(), expected.begin(), expected.end());
  }
};

}  // namespace

Statistics mean_of_rows() {
  return {.width = 2, .score = [](std::span<const double> sums) {
            return sums[1] == 0 ? 0 : sums[0] / sums[1];
          }};
}
void add_row(Statistics& out, double sum, double count) {
  out.values.insert(out.values.end(), {sum, count});
}

SystemMetric metric_of(std::string name, Statistics statistics) {
  return {std::move(name), metrics::sampled(std::move(statistics))};
}

std::vector<SystemMetric> tag_metrics(const ExampleReader& examples) {
  std::vector<TagColumn> columns;
  Statistics exact = mean_of_rows();
  examples.each([&](const JsonLine& line) {
    const auto expected = line.at("expected").get<std::vector<Words>>();
    const auto given = line.at("tags").get<std::vector<Words>>();
    if (columns.empty()) columns.resize(expected.size());
    for (size_t c = 0; c < columns.size(); ++c) {
      columns[c].add(line.at("expected").at(c).get<Words>(), line.at("tags").at(c).get<Words>());
    }
    add_row(exact, expected == given ? 1 : 0, 1);
  });
  std::vector<SystemMetric> out;
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::string suffix = columns.size() == 1 ? "" : fmt::format(" of column {}", c + 1);
    if (data::mark_spans(columns[c].labels)) {
      out.push_back(metric_of("span F1" + suffix, std::move(columns[c].spans)));
    }
    out.push_back(metric_of("accuracy" + suffix, std::move(columns[c].accuracy)));
  }
  out.push_back(metric_of("exact match", std::move(exact)));
  return out;
}

std::vector<SystemMetric> text_metrics(const ExampleReader& examples) {
  Words found, expected;
  examples.each([&](const JsonLine& line) {
    found.push_back(line.at("text").get<std::string>());
    expected.push_back(line.at("expected").get<std::string>());
  });
  const std::vector<Words> references = {expected};
  std::vector<SystemMetric> out;
  for (const char* name : {"word-error-rate", "character-error-rate", "exact-match"}) {
    const metrics::ComparedTexts texts{found, references};
    out.push_back(
        metric_of(metrics::text_score(name, texts).name, metrics::text_statistics(name, texts)));
  }
  return out;
}

std::vector<SystemMetric> box_metrics(const ExampleReader& examples) {
  Names names;
  examples.each([&](const JsonLine& line) {
    for (const char* member : {"expected", "boxes"}) {
      for (const JsonLine& box : line.at(member)) names.id(box.at("label").get<std::string>());
    }
  });
  auto pictures = std::make_shared<std::vector<metrics::AveragePrecision>>();
  examples.each([&](const JsonLine& line) {
    std::vector<metrics::ExpectedBox> expected;
    std::vector<metrics::DetectedBox> found;
    for (const JsonLine& box : line.at("expected")) {
      expected.push_back({names.id(box.at("label").get<std::string>()), box_of(box)});
    }
    for (const JsonLine& box : line.at("boxes")) {
      found.push_back({names.id(box.at("label").get<std::string>()), box.at("score").get<double>(),
                       box_of(box)});
    }
    pictures->emplace_back(names.count()).add(expected, found);
  });
  std::vector<SystemMetric> out;
  const auto add = [&](std::string name, double metrics::PrecisionReport::*value) {
    out.push_back({std::move(name),
                   {std::ssize(*pictures),
                    [pictures, value, labels = names.count()](std::span<const int32_t> numbers) {
                      metrics::AveragePrecision all(labels);
                      for (const int32_t number : numbers) all += (*pictures)[number];
                      return all.report().*value;
                    }}});
  };
  add("AP", &metrics::PrecisionReport::mean);
  add("AP50", &metrics::PrecisionReport::at_50);
  add("AP75", &metrics::PrecisionReport::at_75);
  return out;
}

std::vector<SystemMetric> error_metrics(const ExampleReader& examples) {
  Statistics mean = mean_of_rows();
  examples.each([&](const JsonLine& line) { add_row(mean, line.at("error").get<double>(), 1); });
  return {metric_of("error", std::move(mean))};
}

}  // namespace weft::app
