// weft motion: the numbers by which two views differ, predicted by a model of --objective motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/view_input.h"
#include "apps/weft/output/evaluation_output.h"
#include "weft/core/files/read_files.h"

namespace weft::app {
namespace {

struct MotionOptions {
  ViewInput views;
  std::string output{kStandardOutput};
  bool evaluate = false;
  data::BadFileOptions bad_files;
  EvaluationOutputOptions evaluation;

  template <class V>
  void fields(V& v) {
    views.fields(v);
    options::group(v, "Motion");
    v("output", output,
      {.help = "file of predicted numbers, a pair a line with tabs between, or - or stdout",
       .letter = 'o',
       .writes = true});
    v("evaluate", evaluate,
      {.help = "print the mean absolute error of each number, and their mean in units of each "
               "number's deviation in training"});
    bad_files.fields(v);
    evaluation.fields(v);
  }

  void validate() const {
    const auto is_of_evaluation = [](std::string_view name) {
      return name == data::BadFileOptions::kName;
    };
    check_evaluation(*this, evaluate, is_of_evaluation,
                     [](std::string_view name) { return name == "output"; });
  }
};

using Predicted = std::vector<predict::PredictedNumbers>;

// A line for each pair.
std::vector<std::string> lines_of(const Predicted& found) {
  std::vector<std::string> out;
  for (const predict::PredictedNumbers& pair : found) {
    out.push_back(pair.fault ? "" : fmt::format("{:.6f}", fmt::join(pair.predicted, "\t")));
  }
  return out;
}

std::string evaluation_of(const Predicted& found, const model_file::CrossViewSession& session,
                          bool as_json) {
  const std::vector<double> errors = predict::absolute_errors(found);
  double sum = 0;
  for (size_t k = 0; k < errors.size(); ++k) sum += errors[k] / session.numbers.deviation[k];
  const double mean = sum / static_cast<double>(errors.size());
  if (as_json) return json_page({{"error", mean}, {"absolute_errors", errors}});
  return fmt::format("error {:.6f}\nabsolute errors {:.6f}\n", mean, fmt::join(errors, " "));
}

void evaluate(const model_file::CrossViewSession& session,
              const predict::MotionPredictor& predictor, const MotionOptions& options) {
  PredictionFile file(options.evaluation);
  const auto pairs = options.views.read(session, options.bad_files.params());
  if (pairs->numbers() != session.model.dims.numbers) {
    fail<FormatError>(options.views.input.front(), "{} numbers of a pair; expected {}",
                      pairs->numbers(), session.model.dims.numbers);
  }
  Report report("pair");
  const Predicted found = predict::predict(predictor, predict::pairs_of(*pairs), report);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].fault) {
      fail<NumericError>("--evaluate", "pair {}: {}", i + 1, found[i].fault->reason);
    }
  }
  for (const predict::PredictedNumbers& pair : found) {
    file.write({{"expected", pair.expected}, {"numbers", pair.predicted}});
  }
  print(evaluation_of(found, session, options.evaluation.json));
}

}  // namespace

int run_motion(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<MotionOptions>(info, args);
  if (!options) return 0;
  const model_file::CrossViewSession session =
      options->views.model.load<model_file::CrossViewSession>();
  if (session.model.options.is_completion()) {
    fail<FormatError>(options->views.model.path,
                      "completes views; expected --objective motion; hint: "
                      "weft complete runs it");
  }
  const ReadFiles inputs;
  const predict::MotionPredictor predictor(session, options->views.prediction());
  if (options->evaluate) {
    evaluate(session, predictor, *options);
    return 0;
  }
  PairSource source(options->views, session);
  std::optional<LineSink> sink;
  Report report("pair");
  const Answering answering{
      .together = options->views.mini_batch, .done = "predicted the motion of", .unit = "pair"};
  for (std::vector<predict::PairOfSet> pairs; source.next(answering.together, pairs);) {
    if (!sink) {
      inputs.check_output("--output", options->output);
      sink.emplace(options->output);
    }
    sink->write(lines_of(predict::predict(predictor, pairs, report)));
  }
  return conclude(report, answering);
}

}  // namespace weft::app
