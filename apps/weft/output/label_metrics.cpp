// Metrics of predicted labels.
#include <algorithm>
#include <memory>

#include "apps/weft/output/prediction_metrics.h"
#include "weft/metrics/decisions.h"
#include "weft/metrics/label_report.h"

namespace weft::app {
namespace {

using metrics::Statistics;
using JsonLine = nlohmann::json;
using LabelIds = std::vector<int32_t>;  // ascending

// What a classifier gave each example.
struct LabelPredictions {
  Names names;
  std::vector<LabelIds> expected, given;
  std::vector<float> probabilities;  // [n, C]; empty where they are not known
  bool has_one_each = true;          // else all labels count, also those that do not occur

  int64_t examples() const { return std::ssize(expected); }
  bool has_probabilities() const { return !probabilities.empty(); }
  metrics::LabelReport report(std::span<const int32_t> numbers) const;
  metrics::Decisions decisions() const;
};

metrics::LabelReport LabelPredictions::report(std::span<const int32_t> numbers) const {
  std::vector<metrics::LabelRow> rows(static_cast<size_t>(names.count()));
  for (const int32_t number : numbers) {
    const LabelIds& right = expected[static_cast<size_t>(number)];
    for (const int32_t label : right) ++rows[label].counts.expected;
    for (const int32_t label : given[static_cast<size_t>(number)]) {
      ++rows[label].counts.predicted;
      if (std::ranges::binary_search(right, label)) ++rows[label].counts.correct;
    }
  }
  if (has_one_each) {
    std::erase_if(rows, [](const metrics::LabelRow& row) {
      return row.counts.expected + row.counts.predicted == 0;
    });
  }
  return metrics::make_label_report(std::move(rows));
}

metrics::Decisions LabelPredictions::decisions() const {
  const metrics::ScoredItems items{probabilities, names.count(), expected};
  return has_one_each ? metrics::label_decisions(items) : metrics::multi_label_decisions(items);
}

LabelIds ids_of(const JsonLine& labels, Names& names) {
  LabelIds out;
  for (const JsonLine& name : labels) out.push_back(names.id(name.get<std::string>()));
  std::ranges::sort(out);
  return out;
}

// Adds what a line has. `kind` is that of --labels, "" where another program left it out. Throws
// FormatError for labels and probabilities that do not belong together.
void add_line(const JsonLine& line, std::string_view kind, LabelPredictions& out) {
  if (!kind.empty()) {
    for (const auto& [name, p] : line.at("probabilities").items()) {
      out.names.id(name);
      if (kind != "sequence") out.probabilities.push_back(p.get<float>());
    }
  }
  const LabelIds& right = out.expected.emplace_back(ids_of(line.at("expected"), out.names));
  out.given.push_back(ids_of(line.at("labels"), out.names));
  if (kind == "one" && right.size() != 1) {
    fail<FormatError>("expected", "{} labels; expected one", right.size());
  }
  if (right.size() != 1) out.has_one_each = false;
  if (out.has_probabilities() &&
      std::ssize(out.probabilities) != out.names.count() * out.examples()) {
    fail<FormatError>("probabilities", "expected those of the same {} labels in each line",
                      out.names.count());
  }
}

std::shared_ptr<const LabelPredictions> read_labels(const ExampleReader& examples) {
  auto out = std::make_shared<LabelPredictions>();
  std::string kind;
  examples.each([&](const JsonLine& line) {
    kind = line.value("kind", "");
    add_line(line, kind, *out);
  });
  if (!kind.empty()) out->has_one_each = kind == "one";
  return out;
}

}  // namespace

std::vector<SystemMetric> label_metrics(const ExampleReader& examples) {
  const auto labels = read_labels(examples);
  Statistics accuracy = mean_of_rows();
  for (size_t i = 0; i < labels->expected.size(); ++i) {
    add_row(accuracy, labels->expected[i] == labels->given[i] ? 1 : 0, 1);
  }
  std::vector<SystemMetric> out = {metric_of("accuracy", std::move(accuracy))};
  const auto add = [&](std::string name, auto score) {
    out.push_back({std::move(name), {labels->examples(), std::move(score)}});
  };
  const auto add_f1 = [&](std::string name, metrics::F1Score metrics::LabelReport::*mean) {
    add(std::move(name), [labels, mean](std::span<const int32_t> numbers) {
      return (labels->report(numbers).*mean).f1;
    });
  };
  if (!labels->has_one_each) add_f1("micro F1", &metrics::LabelReport::micro);
  add_f1("macro F1", &metrics::LabelReport::macro);
  add_f1("weighted F1", &metrics::LabelReport::weighted);
  if (!labels->has_probabilities()) return out;
  const auto decisions = std::make_shared<const metrics::Decisions>(labels->decisions());
  add("cross-entropy", [decisions](std::span<const int32_t> numbers) {
    return decisions->sample(numbers).cross_entropy();
  });
  add("calibration error", [decisions](std::span<const int32_t> numbers) {
    return decisions->sample(numbers).calibration_error();
  });
  return out;
}

}  // namespace weft::app
