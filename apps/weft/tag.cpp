// weft tag: words in, as many labels out; or how good the labels are on text whose labels are
// known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/word_source.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/evaluation_output.h"
#include "apps/weft/output/tag_layout.h"
#include "weft/core/text/counted.h"
#include "weft/model_file/tagger.h"
#include "weft/predict/batch_options.h"
#include "weft/tasks/tagging/options.h"

namespace weft::app {
namespace {

struct TagOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  WordOptions words;
  std::string output{kStandardOutput};
  TagLayout layout;
  bool scores = false;
  predict::TaggerOptions tagging;
  bool strict = false;
  std::vector<std::string> evaluate;
  tasks::TagFieldOptions labels;
  LabelEvaluationOptions evaluation;

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    models.fields(v,
                  "model file, or several with the same vocabulary and labels, which tag together");
    v("input", input,
      {.help = "text to tag, plain or .gz, or - or stdin", .letter = 'i', .reads = true});
    words.fields(v);
    v("output", output, {.help = "file of labels, or - or stdout", .letter = 'o', .writes = true});
    options::choice(v, "layout", layout, {.help = "how labels are written"});
    v("scores", scores,
      {.help = "also write the probability of each label; with a CRF its marginal probability"});
    tagging.fields(v);
    v("strict", strict,
      {.help =
           "exit status 1 if a text was over-long, not UTF-8, faulty, or has a word of more than "
           "--max-length tokens; a result is written for every text in any case"});
    options::group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "labelled text in the layout of --format, or of training where that is text, plain "
               "or .gz, or - for standard input: print accuracy and span F1, as seqeval computes "
               "it, instead of labels",
       .reads = true});
    labels.fields(v);
    evaluation.fields(v);
  }

  void validate() const {
    const auto is_of_evaluation = [](std::string_view name) { return name.ends_with("-labels"); };
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "layout" || name == "scores" ||
             name == "strict";
    };
    check_evaluation(*this, !evaluate.empty(), is_of_evaluation, is_of_lines);
  }
};

WordSource open_words(const TagOptions& options, const data::LabelledFields& trained_on) {
  if (options.words.is_text()) return WordSource(options.input);
  tasks::LabelledTextLayout layout = options.words.layout();
  layout.follow(trained_on);
  return WordSource(options.input,
                    {.format = layout.format, .text = tasks::TagFieldOptions::text_field(layout)});
}

int tag_all(const predict::Tagger& tagger, const TagOptions& options,
            const data::LabelledFields& trained_on) {
  WordSource source = open_words(options, trained_on);
  LineSink sink(options.output);
  Report report(options.words.is_text() ? "line" : "text");
  const Answering answering{.together = options.tagging.batches.lines_together(),
                            .done = "tagged",
                            .unit = "text",
                            .is_strict = options.strict};
  for (std::vector<predict::Words> texts; next_window(source, answering.together, texts);) {
    const std::vector<predict::TaggedText> tagged = predict::predict(tagger, texts, report);
    TextLines out;
    for (size_t i = 0; i < texts.size(); ++i) {
      const TextLines of_text =
          options.layout.visit([&](const auto& k) { return k(texts[i].words, tagged[i]); });
      out.insert(out.end(), of_text.begin(), of_text.end());
    }
    sink.write(out);
  }
  return conclude(report, answering);
}

// The labelled texts of one window.
struct LabelledTexts {
  std::vector<predict::Words> texts;
  std::vector<std::vector<TextLines>> labels;  // for each column

  void add(const data::LabelledExample& example) {
    texts.push_back({.words = {example.words.begin(), example.words.end()}});
    std::vector<TextLines>& columns = labels.emplace_back();
    for (const auto& column : example.labels) columns.emplace_back(column.begin(), column.end());
  }
};

// Gives the labels of one window to `evaluation` and to `file`.
void evaluate_some(const predict::Tagger& tagger, const LabelledTexts& in,
                   predict::TagEvaluation& evaluation, PredictionFile& file) {
  Report report;
  const std::vector<predict::TaggedText> tagged = predict::predict(tagger, in.texts, report);
  for (size_t i = 0; i < tagged.size(); ++i) {
    if (tagged[i].fault) {
      fail<NumericError>("--evaluate", "text {}: {}", evaluation.texts() + 1,
                         tagged[i].fault->reason);
    }
    predict::TextLabels expected;
    for (const TextLines& column : in.labels[i])
      expected.emplace_back(column.begin(), column.end());
    const predict::TextLabels labels = tagged[i].labels();
    evaluation.add(expected, labels);
    file.write({{"words", in.texts[i].words}, {"expected", in.labels[i]}, {"tags", labels}});
  }
}

// "chunks.txt: field 2: accuracy 0.9612, span F1 0.9367\n" and its table.
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

Json json_of(const predict::TagEvaluation& evaluation, const TagOptions& options,
             const data::LabelledFields& fields) {
  Json columns = Json::array();
  for (size_t c = 0; c < evaluation.columns().size(); ++c) {
    const predict::ColumnEvaluation& column = evaluation.columns()[c];
    const metrics::LabelReport report = column.report();
    Json out{{"field", fields.field_of(c)}, {"accuracy", column.accuracy()}};
    if (column.marks_spans()) out["span_f1"] = report.micro.f1;
    out["unseen"] = column.unseen();
    out["labels"] = report_json(report);
    if (options.evaluation.confusion)
      out["confusion"] = confusion_json(column.confusion(), column.names());
    columns.push_back(std::move(out));
  }
  return {{"texts", evaluation.texts()},
          {"exact_match", evaluation.exact_match()},
          {"columns", std::move(columns)}};
}

// Those of the model's training, where they are not given.
data::LabelledFields evaluated_fields(const TagOptions& options,
                                      const model_file::TaggerSession& session) {
  const data::LabelledFields& trained_on = session.assets.trained_on;
  require_option(!options.words.is_text() || trained_on.is_known(), "--format",
                 "text has no labels to compare with; expected tsv, files, conll or conllu");
  tasks::LabelledTextLayout layout = options.words.layout();
  if (options.words.is_text()) layout.format.clear();
  tasks::TagFieldOptions labels = options.labels;
  labels.follow(trained_on, layout);
  data::LabelledFields fields = labels.read_by(layout);
  predict::check_columns(fields, session);
  return fields;
}

void evaluate(const predict::Tagger& tagger, const TagOptions& options,
              const model_file::TaggerSession& session) {
  const data::LabelledFields fields = evaluated_fields(options, session);
  PredictionFile file(options.evaluation);
  predict::TagEvaluation evaluation(session.labels(), session.assets.word_columns);
  LabelledTexts texts;
  data::read_labelled_text(options.evaluate, fields.reading(), [&](const data::LabelledText& text) {
    texts.add(text.example());
    if (std::ssize(texts.texts) < options.tagging.batches.lines_together()) return;
    evaluate_some(tagger, texts, evaluation, file);
    texts = {};
  });
  evaluate_some(tagger, texts, evaluation, file);
  if (options.evaluation.json) return print(json_page(json_of(evaluation, options, fields)));
  print(fmt::format("{}, all labels of a text right in {:.4f} of them\n",
                    counted(evaluation.texts(), "text"), evaluation.exact_match()));
  for (size_t c = 0; c < fields.columns(); ++c) {
    print(text_of(evaluation.columns()[c], fields.field_of(c), options.evaluation.confusion));
  }
}

}  // namespace

int run_tag(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<TagOptions>(info, args);
  if (!options) return 0;
  const auto sessions = options->models.load<model_file::TaggerSession>();
  for (size_t i = 1; i < sessions.size(); ++i) {
    model_file::check_same_assets(sessions.front(), sessions[i], options->models.paths[i]);
  }
  const predict::Tagger tagger(sessions, options->tagging, options->scores);
  if (options->evaluate.empty()) {
    return tag_all(tagger, *options, sessions.front().assets.trained_on);
  }
  evaluate(tagger, *options, sessions.front());
  return 0;
}

}  // namespace weft::app
