// weft classify: lines in, each a text or the path of a file, their labels out; or how good the
// labels are on examples whose labels are known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/idx_pictures.h"
#include "apps/weft/input/listed_files.h"
#include "apps/weft/model_options.h"
#include "apps/weft/output/evaluation_output.h"
#include "weft/model_file/classifier.h"
#include "weft/predict/classification/classifier.h"
#include "weft/predict/classification/evaluation.h"
#include "weft/predict/classification/labelled_files.h"
#include "weft/predict/classification/numbers.h"
#include "weft/tasks/classification/options.h"

namespace weft::app {
namespace {

struct ClassifyOptions {
  ModelsOptions models;
  std::string input{kStandardInput};
  std::string output{kStandardOutput};
  bool scores = false;
  predict::LabelThreshold threshold;
  predict::TextBatchOptions lines;
  bool strict = false;
  std::vector<std::string> evaluate;
  tasks::LabelledTextLayout text;
  tasks::LineLabelOptions labels;
  data::BadFileOptions bad_files;
  LabelEvaluationOptions evaluation;

  ClassifyOptions() {  // as in training, where they are not given
    text.format.clear();
    labels.separators.clear();
  }

  template <class V>
  void fields(V& v) {
    options::group(v, "Text");
    models.fields(v,
                  "model file, or several with the same labels, whose probabilities are averaged");
    v("input", input,
      {.help =
           "what to classify, a text or the path of a file a line, plain or .gz, or - or stdin; "
           "with a model of --input image or features also a picture or a file of vectors itself, "
           "a "
           "folder of them, or a file of pictures in MNIST's form (IDX)",
       .letter = 'i',
       .reads = true});
    v("output", output, {.help = "file of labels, or - or stdout", .letter = 'o', .writes = true});
    v("scores", scores,
      {.help = "print the probability of each label, the highest first: label, tab, probability, "
               "tab, label, ..."});
    threshold.fields(v);
    lines.fields(v);
    v("strict", strict,
      {.help =
           "exit status 1 if a line was cropped, over-long or not UTF-8; a result is written for "
           "every line in any case"});
    options::group(v, "Evaluation");
    v("evaluate", evaluate,
      {.help = "labelled text, plain or .gz, or - for standard input, or what else training on "
               "pictures or vectors takes: print accuracy, F1 and calibration error, and "
               "precision, recall and F1 of each label, in place of labels",
       .reads = true});
    text.fields(v);
    labels.fields(v);
    labels.several_fields(v);
    bad_files.fields(v);
    evaluation.fields(v);
  }

  void validate() const {
    const auto is_of_evaluation = [](std::string_view name) {
      return name == "format" || name.ends_with("-field") || name == "label-separators" ||
             name == data::BadFileOptions::kName;
    };
    const auto is_of_lines = [](std::string_view name) {
      return name == "input" || name == "output" || name == "scores" || name == "strict";
    };
    check_evaluation(*this, !evaluate.empty(), is_of_evaluation, is_of_lines);
  }
};

// "NUM\t0.981237\tDESC\t0.012345"
std::string scores_text(const std::vector<float>& probabilities, const data::LabelSet& labels) {
  std::vector<int32_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](int32_t label) { return probabilities[label]; });
  std::string out;
  for (const int32_t label : order) {
    if (!out.empty()) out += '\t';
    out += fmt::format("{}\t{:.6f}", labels.name(label), probabilities[label]);
  }
  return out;
}

std::string numbers_text(const std::vector<float>& numbers) {
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const float number : numbers) texts.push_back(fmt::format("{:.6g}", number));
  return fmt::format("{}", fmt::join(texts, " "));
}

std::string text_of(const predict::ChosenLabels& line, const data::LabelSet& labels, bool scores) {
  if (scores) return scores_text(line.probabilities, labels);
  std::vector<std::string_view> names;
  for (const int32_t label : line.labels) names.emplace_back(labels.name(label));
  return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string> names_of(std::span<const int32_t> ids, const data::LabelSet& labels) {
  std::vector<std::string> out;
  for (const int32_t id : ids) out.emplace_back(labels.name(id));
  return out;
}

void write_predictions(const predict::LabelScores& probabilities,
                       const predict::ExpectedLabels& expected,
                       const model_file::ClassifierSession& session, PredictionFile& file) {
  for (int64_t text = 0; file && text < probabilities.texts(); ++text) {
    const std::span<const float> p = probabilities[text];
    Json by_label = Json::object();
    for (int32_t label = 0; label < session.labels().size(); ++label) {
      by_label[std::string(session.labels().name(label))] = rounded(p[label]);
    }
    const std::vector<int32_t> given =
        predict::choose_labels(p, session.model.options, session.params.threshold);
    file.write({{"expected", names_of(expected[static_cast<size_t>(text)], session.labels())},
                {"labels", names_of(given, session.labels())},
                {"probabilities", std::move(by_label)}});
  }
}

Json json_of(const predict::LabelEvaluation& found, const ClassifyOptions& options,
             const data::LabelSet& labels) {
  Json out{{"accuracy", found.accuracy},
           {"accuracy_interval", {found.interval.low, found.interval.high}},
           {"micro_f1", found.report.micro.f1},
           {"macro_f1", found.report.macro.f1}};
  if (found.cross_entropy) out["cross_entropy"] = *found.cross_entropy;
  if (found.calibration_error) out["calibration_error"] = *found.calibration_error;
  out["labels"] = report_json(found.report);
  if (options.evaluation.confusion)
    out["confusion"] = confusion_json(*found.confusion, labels.names());
  return out;
}

void evaluate_numbers(const std::vector<model_file::ClassifierSession>& sessions,
                      const predict::LabelledFiles& in, const ClassifyOptions& options,
                      PredictionFile& file) {
  std::vector<float> expected;
  const predict::LabelScores predicted = predict::labelled_numbers(sessions, in, expected);
  for (int64_t text = 0; file && text < predicted.texts(); ++text) {
    const auto row =
        std::span(expected).subspan(static_cast<size_t>(text * predicted.labels), predicted.labels);
    file.write({{"expected", std::vector<float>(row.begin(), row.end())},
                {"numbers", std::vector<float>(predicted[text].begin(), predicted[text].end())}});
  }
  const predict::NumberEvaluation found = predict::evaluate_numbers(predicted, expected);
  if (!options.evaluation.json) return print(found.text());
  Json columns = Json::array();
  for (const metrics::RegressionScores& scores : found.columns) {
    columns.push_back({{"rmse", scores.rmse},
                       {"mae", scores.mae},
                       {"r2", scores.r2},
                       {"pearson", scores.pearson},
                       {"spearman", scores.spearman}});
  }
  print(json_page({{"texts", predicted.texts()}, {"columns", std::move(columns)}}));
}

void evaluate(const std::vector<model_file::ClassifierSession>& sessions,
              const predict::Classifier& classifier, const ClassifyOptions& options) {
  const models::ClassifierOptions& model = classifier.options();
  if (options.evaluation.confusion && !model.has_one_label()) {
    fail<OptionError>("--confusion", "the model is of --labels {}; expected one",
                      model.labels.name());
  }
  require_option(!model.is_text() || options.bad_files.is_default(), "--bad-files",
                 "the model is of --input text, which names no files");
  tasks::LabelledTextLayout layout = options.text;
  tasks::LineLabelOptions labels = options.labels;
  labels.follow(classifier.session().trained_on, layout);
  const predict::LabelledFiles in{.files = options.evaluate,
                                  .fields = labels.read_by(layout, model.labels),
                                  .bad_files = options.bad_files.params(),
                                  .max_length = options.lines.max_length};
  PredictionFile file(options.evaluation);
  if (model.is_text()) layout.check_files("--evaluate", options.evaluate);
  if (model.has_numbers()) return evaluate_numbers(sessions, in, options, file);
  predict::ExpectedLabels expected;
  const predict::LabelScores probabilities =
      predict::labelled_probabilities(sessions, in, expected);
  const model_file::ClassifierSession session = classifier.session();
  const predict::LabelEvaluation found = predict::evaluate_labels(probabilities, expected, session);
  write_predictions(probabilities, expected, session, file);
  if (options.evaluation.json) {
    return print(json_page(json_of(found, options, classifier.labels())));
  }
  print(fmt::format("{}\n\n{}", found.summary(), found.report.text(4)));
  if (options.evaluation.confusion) {
    print(fmt::format("\n{}", found.confusion->tsv(classifier.labels().names())));
  }
}

std::vector<std::string> texts_of(const std::vector<predict::ChosenLabels>& lines,
                                  const predict::Classifier& classifier, bool scores) {
  std::vector<std::string> out;
  out.reserve(lines.size());
  const bool has_numbers = classifier.options().has_numbers();
  for (const predict::ChosenLabels& line : lines) {
    out.push_back(has_numbers ? numbers_text(line.probabilities)
                              : text_of(line, classifier.labels(), scores));
  }
  return out;
}

LineSource source_of(const models::InputKinds& kind, const std::string& input) {
  if (kind.is<models::ImageInput>()) return {input, data::FileKind::kPicture};
  if (kind.is<models::FeatureInput>()) return {input, data::FileKind::kVectors};
  return LineSource(input);
}

template <class Source>
int classify_all(const predict::Classifier& classifier, Source source, std::string_view unit,
                 const ClassifyOptions& options) {
  LineSink sink(options.output);
  Report report(unit);
  const Answering answering{.together = options.lines.lines_together(),
                            .done = "classified",
                            .unit = unit,
                            .is_strict = options.strict};
  for (std::vector<typename Source::Item> inputs;
       next_window(source, answering.together, inputs);) {
    sink.write(texts_of(predict::predict(classifier, inputs, report), classifier, options.scores));
  }
  return conclude(report, answering);
}

int classify_lines(const predict::Classifier& classifier, const ClassifyOptions& options) {
  LineSource source = source_of(classifier.options().input, options.input);
  if (!classifier.options().is_text()) {
    const auto files = listed_files(source, options.input);
    if (files) check_listed_output(options.output, *files);
  }
  return classify_all(classifier, std::move(source), "line", options);
}

}  // namespace

int run_classify(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<ClassifyOptions>(info, args);
  if (!options) return 0;
  const auto sessions = options->models.load<model_file::ClassifierSession>();
  const predict::Classifier classifier(sessions, options->lines, options->threshold.probability);
  require_option(!options->scores || !classifier.options().has_numbers(), "--scores",
                 "the model is of --labels numbers, which have no probabilities");
  if (!options->evaluate.empty()) {
    evaluate(sessions, classifier, *options);
    return 0;
  }
  if (classifier.options().input.is<models::ImageInput>() && is_idx_file(options->input)) {
    return classify_all(classifier, IdxSource(options->input), "picture", *options);
  }
  return classify_lines(classifier, *options);
}

}  // namespace weft::app
