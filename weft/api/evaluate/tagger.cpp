#include <fmt/format.h>

#include "weft/api/evaluate/evaluations.h"
#include "weft/api/loaded_model.h"
#include "weft/api/predictor_options.h"
#include "weft/core/text/counted.h"
#include "weft/tasks/tagging/options.h"

namespace weft::api {
namespace {

struct TaggerEvaluationOptions : ConfusionOption {
  tasks::LabelledTextLayout text;
  tasks::TagFieldOptions labels;

  TaggerEvaluationOptions() { text.format.clear(); }  // as in training, where it is not given

  template <class V>
  void fields(V& v) {
    text.fields(v);
    labels.fields(v);
    ConfusionOption::fields(v);
  }
};

using TaggerOptionsOfEvaluation = EvaluationOptions<TaggerOptions, TaggerEvaluationOptions>;

// The labelled texts that are tagged together.
struct LabelledTexts {
  std::vector<Words> texts;
  std::vector<std::vector<std::vector<std::string>>> labels;  // of each, for each column

  void add(const data::LabelledExample& example) {
    texts.push_back({.words = {example.words.begin(), example.words.end()}});
    auto& columns = labels.emplace_back();
    for (const auto& column : example.labels) columns.emplace_back(column.begin(), column.end());
  }
};

// Tags some texts, adds their labels to `evaluation` and passes them to on_prediction.
void evaluate_some(const predict::Tagger& tagger, const LabelledTexts& some,
                   predict::TagEvaluation& evaluation, const EvaluationInput& in) {
  Report report;
  const std::vector<predict::TaggedText> tagged = predict::predict(tagger, some.texts, report);
  for (size_t i = 0; i < tagged.size(); ++i) {
    if (tagged[i].fault) {
      fail<NumericError>("--evaluate", "text {}: {}", evaluation.texts() + 1,
                         tagged[i].fault->reason);
    }
    predict::TextLabels expected;
    for (const auto& column : some.labels[i]) expected.emplace_back(column.begin(), column.end());
    const predict::TextLabels labels = tagged[i].labels();
    evaluation.add(expected, labels);
    in.pass({{"words", some.texts[i].words}, {"expected", some.labels[i]}, {"tags", labels}});
  }
}

// "field 2: accuracy 0.9612, span F1 0.9367\n" and its table.
std::string text_of(const predict::ColumnEvaluation& column, int64_t field, bool with_confusion) {
  const metrics::LabelReport report = column.report();
  std::string out = fmt::format("\nfield {}: accuracy {:.4f}", field, column.accuracy());
  if (column.marks_spans()) out += fmt::format(", span F1 {:.4f}", report.micro.f1);
  if (column.unseen() > 0) {
    out += fmt::format("; {} labels that training never saw count as wrong", column.unseen());
  }
  out += "\n\n" + report.text(4);
  if (with_confusion) out += "\n" + column.confusion().tsv(column.names());
  return out;
}

std::string text_of(const predict::TagEvaluation& evaluation, const data::LabelledFields& fields,
                    bool with_confusion) {
  std::string out = fmt::format("{}, all labels of a text right in {:.4f} of them\n",
                                counted(evaluation.texts(), "text"), evaluation.exact_match());
  for (size_t c = 0; c < fields.columns(); ++c) {
    out += text_of(evaluation.columns()[c], fields.field_of(c), with_confusion);
  }
  return out;
}

Json json_of(const predict::TagEvaluation& evaluation, const data::LabelledFields& fields,
             bool with_confusion) {
  Json columns = Json::array();
  for (size_t c = 0; c < evaluation.columns().size(); ++c) {
    const predict::ColumnEvaluation& column = evaluation.columns()[c];
    const metrics::LabelReport report = column.report();
    Json out{{"field", fields.field_of(c)}, {"accuracy", column.accuracy()}};
    if (column.marks_spans()) out["span_f1"] = report.micro.f1;
    out["unseen"] = column.unseen();
    out["labels"] = report_json(report);
    if (with_confusion) out["confusion"] = confusion_json(column.confusion(), column.names());
    columns.push_back(std::move(out));
  }
  return {{"texts", evaluation.texts()},
          {"exact_match", evaluation.exact_match()},
          {"columns", std::move(columns)}};
}

// Those of the model's training, where they are not given.
data::LabelledFields evaluated_fields(const TaggerEvaluationOptions& options,
                                      const model_file::TaggerSession& session) {
  const data::LabelledFields& trained_on = session.assets.trained_on;
  require_option(!options.text.format.empty() || trained_on.is_known(), "--format",
                 "text has no labels to compare with; expected tsv, files, conll or conllu");
  tasks::LabelledTextLayout layout = options.text;
  tasks::TagFieldOptions labels = options.labels;
  labels.follow(trained_on, layout);
  data::LabelledFields fields = labels.read_by(layout);
  predict::check_columns(fields, session);
  return fields;
}

}  // namespace

ModelEvaluation evaluate_tagger(const EvaluationInput& in) {
  const auto given = read_options<TaggerOptionsOfEvaluation>(in.options);
  const auto sessions = tagger_sessions(in.models);
  const model_file::TaggerSession& session = sessions.front();
  const predict::Tagger tagger(sessions, given.prediction.tagging, false);
  const data::LabelledFields fields = evaluated_fields(given.evaluation, session);
  predict::TagEvaluation evaluation(session.labels(), session.assets.word_columns);
  LabelledTexts texts;
  data::read_labelled_text(in.files, fields.reading(), [&](const data::LabelledText& text) {
    texts.add(text.example());
    if (std::ssize(texts.texts) < given.prediction.tagging.batches.lines_together()) return;
    evaluate_some(tagger, texts, evaluation, in);
    texts = {};
  });
  evaluate_some(tagger, texts, evaluation, in);
  const bool with_confusion = given.evaluation.confusion;
  return {.text = text_of(evaluation, fields, with_confusion),
          .json = json_page(json_of(evaluation, fields, with_confusion))};
}

const OptionSchema& tagger_evaluation_schema() { return schema_of<TaggerEvaluationOptions>(); }

}  // namespace weft::api
