// weft motion: the numbers by which two views differ, predicted by a model of --objective motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/weft/command.h"
#include "apps/weft/input/lines.h"
#include "apps/weft/input/view_input.h"
#include "apps/weft/output/evaluation_output.h"
#include "weft/core/files/read_files.h"
#include "weft/core/log.h"
#include "weft/predict/not_finite.h"

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
    const auto is_read = [](std::string_view name) { return name != "output"; };
    const auto is_of_lines = [](std::string_view name) {
      return !EvaluationOutputOptions::is_option(name) && name != data::BadFileOptions::kName;
    };
    if (evaluate) {
      options::check_unread(*this, is_read, "with --evaluate");
    } else {
      options::check_unread(*this, is_of_lines, "without --evaluate");
    }
  }
};

// A line for each pair; `first` is the index of the first pair among all.
std::vector<std::string> lines_of(const predict::PredictedNumbers& found, int64_t first,
                                  predict::NotFiniteLines& not_finite) {
  std::vector<std::string> out;
  for (int64_t pair = 0; pair < found.pairs(); ++pair) {
    const std::span<const float> numbers = found.of_pair(pair);
    const bool is_finite = predict::is_finite(numbers);
    if (!is_finite) not_finite.add(first + pair + 1);
    out.push_back(is_finite ? fmt::format("{:.6f}", fmt::join(numbers, "\t")) : "");
  }
  return out;
}

void write_predictions(const predict::PredictedNumbers& found, PredictionFile& file) {
  const auto count = static_cast<size_t>(found.numbers);
  for (size_t i = 0; file && i < found.predicted.size(); i += count) {
    const auto row = [&](const std::vector<float>& all) {
      return std::vector<float>(all.begin() + static_cast<int64_t>(i),
                                all.begin() + static_cast<int64_t>(i + count));
    };
    file.write({{"expected", row(found.expected)}, {"numbers", row(found.predicted)}});
  }
}

std::string evaluation_of(const predict::PredictedNumbers& found,
                          const model_file::CrossViewSession& session, bool as_json) {
  const std::vector<double> errors = predict::absolute_errors(found);
  double sum = 0;
  for (size_t k = 0; k < errors.size(); ++k) sum += errors[k] / session.numbers.deviation[k];
  const double mean = sum / static_cast<double>(errors.size());
  if (as_json) return json_page({{"error", mean}, {"absolute_errors", errors}});
  return fmt::format("error {:.6f}\nabsolute errors {:.6f}\n", mean, fmt::join(errors, " "));
}

void evaluate(const model_file::CrossViewSession& session, const MotionOptions& options) {
  PredictionFile file(options.evaluation);
  const auto pairs = options.views.read(session, options.bad_files.rule());
  if (pairs->numbers() != session.model.sizes.numbers) {
    fail<FormatError>(options.views.input.front(), "{} numbers of a pair; expected {}",
                      pairs->numbers(), session.model.sizes.numbers);
  }
  const predict::PredictedNumbers found =
      predict::predict_numbers(session, *pairs, options.views.prediction());
  predict::NotFiniteLines not_finite;
  lines_of(found, 0, not_finite);
  if (not_finite.count > 0) {
    fail<NumericError>("--evaluate", "pair {}: {}", not_finite.first, predict::kNotFinite);
  }
  write_predictions(found, file);
  print(evaluation_of(found, session, options.evaluation.json));
}

}  // namespace

int run_motion(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<MotionOptions>(info, args);
  if (!options) return 0;
  const model_file::CrossViewSession session = options->views.load();
  if (session.model.options.is_completion()) {
    fail<FormatError>(options->views.model,
                      "completes views; expected --objective motion; hint: "
                      "weft complete runs it");
  }
  const ReadFiles inputs;
  predict::PredictionOptions prediction = options->views.prediction();
  if (options->evaluate) {
    evaluate(session, *options);
    return 0;
  }
  std::optional<LineSink> sink;
  predict::NotFiniteLines not_finite;
  options->views.for_each_window(session, [&](const data::ViewPairs& pairs, int64_t first) {
    prediction.first_example = first;
    if (!sink) {
      inputs.check_output("--output", options->output);
      sink.emplace(options->output);
    }
    sink->write(lines_of(predict::predict_numbers(session, pairs, prediction), first, not_finite));
  });
  if (not_finite.count == 0) return 0;
  log::warn("{} {}", not_finite.count, predict::text_of(not_finite));
  return 1;
}

}  // namespace weft::app
