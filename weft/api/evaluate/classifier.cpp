#include <fmt/format.h>

#include "weft/api/evaluate/evaluations.h"
#include "weft/api/loaded_model.h"
#include "weft/api/predictor_options.h"
#include "weft/predict/classification/evaluation.h"
#include "weft/predict/classification/labelled_files.h"
#include "weft/predict/classification/numbers.h"
#include "weft/tasks/classification/options.h"

namespace weft::api {
namespace {

struct ClassifierEvaluationOptions : ConfusionOption {
  tasks::LabelledTextLayout text;
  tasks::LineLabelOptions labels;
  data::BadFileOptions bad_files;

  ClassifierEvaluationOptions() {  // as in training, where they are not given
    text.format.clear();
    labels.separators.clear();
  }

  template <class V>
  void fields(V& v) {
    text.fields(v);
    labels.fields(v);
    labels.several_fields(v);
    bad_files.fields(v);
    ConfusionOption::fields(v);
  }
};

using ClassifierOptionsOfEvaluation =
    EvaluationOptions<ClassifierOptions, ClassifierEvaluationOptions>;

std::vector<std::string> names_of(std::span<const int32_t> ids, const data::LabelSet& labels) {
  std::vector<std::string> out;
  for (const int32_t id : ids) out.emplace_back(labels.name(id));
  return out;
}

void pass_predictions(const predict::LabelScores& probabilities,
                      const predict::ExpectedLabels& expected,
                      const model_file::ClassifierSession& session, const EvaluationInput& in) {
  for (int64_t text = 0; in.on_prediction && text < probabilities.texts(); ++text) {
    const std::span<const float> p = probabilities[text];
    Json by_label = Json::object();
    for (int32_t label = 0; label < session.labels().size(); ++label) {
      by_label[std::string(session.labels().name(label))] = shortest(p[label]);
    }
    const std::vector<int32_t> given =
        predict::choose_labels(p, session.model.options, session.params.threshold);
    in.pass({{"kind", session.model.options.labels.name()},
             {"expected", names_of(expected[static_cast<size_t>(text)], session.labels())},
             {"labels", names_of(given, session.labels())},
             {"probabilities", std::move(by_label)}});
  }
}

Json json_of(const predict::LabelEvaluation& found, bool with_confusion,
             const data::LabelSet& labels) {
  Json out{{"accuracy", found.accuracy},
           {"accuracy_interval", {found.interval.low, found.interval.high}},
           {"micro_f1", found.report.micro.f1},
           {"macro_f1", found.report.macro.f1},
           {"weighted_f1", found.report.weighted.f1}};
  if (found.cross_entropy) out["cross_entropy"] = *found.cross_entropy;
  if (found.calibration_error) out["calibration_error"] = *found.calibration_error;
  out["labels"] = report_json(found.report);
  if (with_confusion) out["confusion"] = confusion_json(*found.confusion, labels.names());
  return out;
}

using Sessions = std::vector<model_file::ClassifierSession>;

ModelEvaluation evaluate_numbers(const Sessions& sessions, const predict::LabelledFiles& files,
                                 const EvaluationInput& in) {
  std::vector<float> expected;
  const predict::LabelScores predicted = predict::labelled_numbers(sessions, files, expected);
  for (int64_t text = 0; in.on_prediction && text < predicted.texts(); ++text) {
    const auto row =
        std::span(expected).subspan(static_cast<size_t>(text * predicted.labels), predicted.labels);
    in.pass({{"expected", std::vector<float>(row.begin(), row.end())},
             {"numbers", std::vector<float>(predicted[text].begin(), predicted[text].end())}});
  }
  const predict::NumberEvaluation found = predict::evaluate_numbers(predicted, expected);
  Json columns = Json::array();
  for (const metrics::RegressionScores& scores : found.columns) {
    columns.push_back({{"rmse", scores.rmse},
                       {"mae", scores.mae},
                       {"r2", scores.r2},
                       {"pearson", scores.pearson},
                       {"spearman", scores.spearman}});
  }
  return {.text = found.text(),
          .json = json_page({{"texts", predicted.texts()}, {"columns", std::move(columns)}})};
}

// Throws OptionError for options that this model does not read.
void check_options(const models::ClassifierOptions& model,
                   const ClassifierEvaluationOptions& options) {
  if (options.confusion && !model.has_one_label()) {
    fail<OptionError>("--confusion", "the model is of --labels {}; expected one",
                      model.labels.name());
  }
  require_option(!model.is_text() || options.bad_files.is_default(), "--bad-files",
                 "the model is of --input text, which names no files");
}

}  // namespace

ModelEvaluation evaluate_classifier(const EvaluationInput& in) {
  const auto given = read_options<ClassifierOptionsOfEvaluation>(in.options);
  const ClassifierEvaluationOptions& options = given.evaluation;
  const auto sessions = sessions_of<model_file::ClassifierSession>(in.models);
  const predict::Classifier classifier(sessions, given.prediction.lines,
                                       given.prediction.threshold.probability);
  const models::ClassifierOptions& model = classifier.options();
  check_options(model, options);
  tasks::LabelledTextLayout layout = options.text;
  tasks::LineLabelOptions labels = options.labels;
  labels.follow(classifier.session().trained_on, layout);
  const predict::LabelledFiles files{.files = in.files,
                                     .fields = labels.read_by(layout, model.labels),
                                     .bad_files = options.bad_files.params(),
                                     .max_length = given.prediction.lines.max_length};
  if (model.is_text()) layout.check_files("--evaluate", in.files);
  if (model.has_numbers()) return evaluate_numbers(sessions, files, in);
  predict::ExpectedLabels expected;
  const predict::LabelScores probabilities =
      predict::labelled_probabilities(sessions, files, expected);
  const model_file::ClassifierSession session = classifier.session();
  const predict::LabelEvaluation found = predict::evaluate_labels(probabilities, expected, session);
  pass_predictions(probabilities, expected, session, in);
  std::string text = fmt::format("{}\n\n{}", found.summary(), found.report.text(4));
  if (options.confusion) {
    text += fmt::format("\n{}", found.confusion->tsv(classifier.labels().names()));
  }
  return {.text = std::move(text),
          .json = json_page(json_of(found, options.confusion, classifier.labels()))};
}

const OptionSchema& classifier_evaluation_schema() {
  return schema_of<ClassifierEvaluationOptions>();
}

}  // namespace weft::api
