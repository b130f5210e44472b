#include "apps/weft/output/predictions.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "apps/weft/output/prediction_metrics.h"
#include "weft/core/error.h"
#include "weft/core/text/counted.h"
#include "weft/data/text/text_file.h"

namespace weft::app {
namespace {

using JsonLine = nlohmann::json;

struct Kind {
  std::string_view member;
  std::vector<SystemMetric> (*metrics)(const ExampleReader& examples);
};
constexpr std::array<Kind, 6> kKinds = {{{"labels", label_metrics},
                                         {"tags", tag_metrics},
                                         {"text", text_metrics},
                                         {"boxes", box_metrics},
                                         {"numbers", number_metrics},
                                         {"error", error_metrics}}};

[[noreturn]] void fail_line(const std::string& path, size_t line, std::string_view expected) {
  fail<FormatError>(fmt::format("{}:{}", path, line + 1),
                    "expected {}, as --evaluate --predictions writes it", expected);
}

}  // namespace

double SystemMetric::score() const {
  std::vector<int32_t> all(static_cast<size_t>(metric.examples));
  std::iota(all.begin(), all.end(), 0);
  return metric.score(all);
}

Predictions::Predictions(const std::string& path) : path_(path) {
  for (const std::string& text : data::read_lines(path)) {
    const size_t number = lines_.size();
    const JsonLine& line = lines_.emplace_back(JsonLine::parse(text, nullptr, false));
    if (!line.is_object()) fail_line(path, number, "a prediction in JSON");
    const auto kind = std::ranges::find_if(
        kKinds, [&](const Kind& k) { return line.contains(std::string(k.member)); });
    if (kind == kKinds.end()) fail_line(path, number, "a prediction");
    if (kind_.empty()) kind_ = kind->member;
    if (kind_ != kind->member) fail_line(path, number, "a prediction with " + quote(kind_));
    if (kind_ != "error" && !line.contains("expected")) {
      fail_line(path, number, "a prediction with 'expected'");
    }
  }
  if (lines_.empty()) fail<FormatError>(path, "no predictions; expected at least one line");
}

void Predictions::check_same_examples(const Predictions& other) const {
  if (kind_ != other.kind_ || lines_.size() != other.lines_.size()) {
    fail<FormatError>(other.path_, "{} with '{}'; expected {} with '{}', as in {}",
                      counted(std::ssize(other.lines_), "prediction"), other.kind_, lines_.size(),
                      kind_, path_);
  }
  for (size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].value("expected", JsonLine()) == other.lines_[i].value("expected", JsonLine()))
      continue;
    fail<FormatError>(fmt::format("{}:{}", other.path_, i + 1),
                      "the example is not that of {}; expected predictions of the same examples",
                      path_);
  }
}

std::vector<SystemMetric> Predictions::metrics() const {
  const ExampleReader examples{path_, lines_};
  return std::ranges::find(kKinds, kind_, &Kind::member)->metrics(examples);
}

}  // namespace weft::app
