#include "apps/weft/output/prediction_metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
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

// The mean of a number of each example, or of several.
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

// The labels of each example, by number.
struct LabelPair {
  std::vector<int32_t> expected, given;
};

std::vector<LabelCounts> counts_of(const std::vector<LabelPair>& examples,
                                   std::span<const int32_t> numbers, int32_t labels) {
  std::vector<LabelCounts> out(static_cast<size_t>(labels));
  for (const int32_t number : numbers) {
    const auto& [expected, given] = examples[static_cast<size_t>(number)];
    for (const int32_t label : expected) ++out[label].expected;
    for (const int32_t label : given) {
      ++out[label].predicted;
      if (std::ranges::binary_search(expected, label)) ++out[label].correct;
    }
  }
  return out;
}

double micro_f1(const std::vector<LabelCounts>& counts) {
  LabelCounts sum;
  for (const LabelCounts& label : counts) sum += label;
  return metrics::f1_of(sum).f1;
}

// Over the labels that are there.
double macro_f1(const std::vector<LabelCounts>& counts) {
  double sum = 0, labels = 0;
  for (const LabelCounts& label : counts) {
    if (label.expected + label.predicted == 0) continue;
    sum += metrics::f1_of(label).f1;
    ++labels;
  }
  return labels == 0 ? 0 : sum / labels;
}

Words texts_of(const JsonLine& line, const char* member) { return line.at(member).get<Words>(); }

data::Box box_of(const JsonLine& object) {
  const auto numbers = object.at("box").get<std::array<double, 4>>();
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

double sum_of(const std::vector<double>& a, const std::vector<double>& b, double power) {
  metrics::check_same_count("numbers", a.size(), b.size());
  double out = 0;
  for (size_t i = 0; i < a.size(); ++i) out += std::pow(std::abs(a[i] - b[i]), power);
  return out;
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

std::vector<SystemMetric> label_metrics(const ExampleReader& examples) {
  Names names;
  auto pairs = std::make_shared<std::vector<LabelPair>>();
  Statistics accuracy = mean_of_rows();
  examples.each([&](const JsonLine& line) {
    LabelPair& pair = pairs->emplace_back();
    for (const std::string& name : texts_of(line, "expected")) {
      pair.expected.push_back(names.id(name));
    }
    for (const std::string& name : texts_of(line, "labels")) pair.given.push_back(names.id(name));
    std::ranges::sort(pair.expected);
    std::ranges::sort(pair.given);
    add_row(accuracy, pair.expected == pair.given ? 1 : 0, 1);
  });
  const auto f1 = [&](std::string name, double (*mean)(const std::vector<LabelCounts>&)) {
    return SystemMetric{std::move(name),
                        {std::ssize(*pairs),
                         [pairs, mean, labels = names.count()](std::span<const int32_t> numbers) {
                           return mean(counts_of(*pairs, numbers, labels));
                         }}};
  };
  std::vector<SystemMetric> out = {metric_of("accuracy", std::move(accuracy))};
  const bool has_one_each =
      std::ranges::all_of(*pairs, [](const LabelPair& pair) { return pair.expected.size() == 1; });
  if (!has_one_each) out.push_back(f1("micro F1", micro_f1));
  out.push_back(f1("macro F1", macro_f1));
  return out;
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

std::vector<SystemMetric> number_metrics(const ExampleReader& examples) {
  Statistics absolute = mean_of_rows(), squared = mean_of_rows();
  squared.score = [](std::span<const double> sums) { return std::sqrt(sums[0] / sums[1]); };
  examples.each([&](const JsonLine& line) {
    const auto expected = line.at("expected").get<std::vector<double>>();
    const auto found = line.at("numbers").get<std::vector<double>>();
    add_row(absolute, sum_of(expected, found, 1), static_cast<double>(expected.size()));
    add_row(squared, sum_of(expected, found, 2), static_cast<double>(expected.size()));
  });
  return {metric_of("mean absolute error", std::move(absolute)),
          metric_of("root mean squared error", std::move(squared))};
}

std::vector<SystemMetric> error_metrics(const ExampleReader& examples) {
  Statistics mean = mean_of_rows();
  examples.each([&](const JsonLine& line) { add_row(mean, line.at("error").get<double>(), 1); });
  return {metric_of("error", std::move(mean))};
}

}  // namespace weft::app
