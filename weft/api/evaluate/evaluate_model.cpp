#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "weft/api/evaluate/evaluations.h"
#include "weft/core/error.h"
#include "weft/model_file/classifier.h"
#include "weft/model_file/cross_view.h"
#include "weft/model_file/detector.h"
#include "weft/model_file/tagger.h"
#include "weft/model_file/transcriber.h"

namespace weft {
namespace api {
namespace {

struct KindOfEvaluation {
  std::string_view kind;
  ModelEvaluation (*evaluate)(const EvaluationInput& in);
  const OptionSchema& (*schema)();
};

constexpr KindOfEvaluation kEvaluations[] = {
    {model_file::ClassifierSession::kKind, evaluate_classifier, classifier_evaluation_schema},
    {model_file::TaggerSession::kKind, evaluate_tagger, tagger_evaluation_schema},
    {model_file::DetectorSession::kKind, evaluate_detector, detector_evaluation_schema},
    {model_file::TranscriberSession::kKind, evaluate_transcriber, transcriber_evaluation_schema},
    {model_file::CrossViewSession::kKind, evaluate_cross_view, cross_view_evaluation_schema},
};

const KindOfEvaluation& evaluation_of(std::string_view kind, std::string_view where) {
  std::string known;
  for (const KindOfEvaluation& one : kEvaluations) {
    if (one.kind == kind) return one;
    known += (known.empty() ? "" : ", ") + std::string(one.kind);
  }
  fail<OptionError>(where, "is a model of type {}; expected one of {}", quote(kind), known);
}

}  // namespace

void EvaluationInput::pass(const Json& prediction) const {
  if (on_prediction) on_prediction(prediction.dump(-1, ' ', false, Json::error_handler_t::replace));
}

const Model& only(const EvaluationInput& in) {
  if (in.models.size() == 1) return in.models.front();
  fail<OptionError>("models", "{} of type {}; expected one", in.models.size(),
                    in.models.front().kind());
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

double shortest(float value) {
  const std::string digits = fmt::format("{}", value);
  double out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

}  // namespace api

ModelEvaluation evaluate_model(const std::vector<Model>& models,
                               const std::vector<std::string>& files, const Options& options,
                               const OnPrediction& on_prediction) {
  if (models.empty()) fail<OptionError>("models", "none; expected at least one");
  if (files.empty()) fail<OptionError>("files", "none; expected at least one");
  const Model& first = models.front();
  return api::evaluation_of(first.kind(), first.path())
      .evaluate({models, files, options, on_prediction});
}

const OptionSchema& evaluation_schema(std::string_view kind) {
  return api::evaluation_of(kind, "kind").schema();
}

}  // namespace weft
