// weft motion: the numbers by which two views differ, predicted by a model of --objective motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "apps/weft/answer.h"
#include "apps/weft/command.h"
#include "apps/weft/input/listed_files.h"
#include "apps/weft/input/view_input.h"
#include "apps/weft/output/evaluation_output.h"
#include "weft/core/files/read_files.h"

namespace weft::app {
namespace {

struct MotionOptions {
  ViewInput views;
  std::string output{kStandardOutput};
  LibraryOptions motion{MotionPredictor::schema()};
  bool evaluate = false;
  EvaluationFlags evaluation{"cross-view"};

  template <class V>
  void fields(V& v) {
    views.fields(v);
    options::group(v, "Motion");
    motion.fields(v);
    v("output", output,
      {.help = "file of predicted numbers, a pair a line with tabs between, or - or stdout",
       .letter = 'o',
       .writes = true});
    v("evaluate", evaluate,
      {.help = "print the mean absolute error of each number, and their mean in units of each "
               "number's deviation in training"});
    evaluation.fields(v);
  }

  void validate() const {
    views.pairs.validate();
    motion.validate();
    evaluation.check(*this, evaluate, [](std::string_view name) { return name == "output"; });
  }
};

// A line for each pair.
std::vector<std::string> lines_of(const std::vector<ViewMotion>& found) {
  std::vector<std::string> out;
  out.reserve(found.size());
  for (const ViewMotion& pair : found) {
    out.push_back(pair.fault ? "" : fmt::format("{:.6f}", fmt::join(pair.numbers, "\t")));
  }
  return out;
}

}  // namespace

int run_motion(const CommandInfo& info, const Args& args) {
  const auto options = parse_command<MotionOptions>(info, args);
  if (!options) return 0;
  const Model model = options->views.model.load("cross-view");
  const MotionPredictor predictor(model, options->motion.changed());
  const std::vector<std::string> files = options->views.files();
  if (options->evaluate) {
    options->evaluation.run({model}, files,
                            options->views.pairs.added_to(options->motion.changed()));
    return 0;
  }
  const ReadFiles inputs;
  ViewPairReader source(model, files, options->views.pairs.changed());
  std::optional<LineSink> sink;
  Report report("pair");
  const Answering answering{.together = options->motion.value<int64_t>("mini-batch"),
                            .done = "predicted the motion of",
                            .unit = "pair"};
  for (ViewPairs pairs; (pairs = source.next(answering.together)).size() > 0;) {
    if (!sink) {
      inputs.check_output("--output", options->output);
      if (options->views.is_pipe()) check_output_of_pipe(options->output, data::FileKind::kPicture);
      sink.emplace(options->output);
    }
    sink->write(lines_of(predictor.predict(pairs, &report)));
  }
  return conclude(report, answering);
}

}  // namespace weft::app
