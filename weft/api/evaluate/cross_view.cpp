#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weft/api/evaluate/evaluations.h"
#include "weft/api/loaded_model.h"
#include "weft/api/view_pairs.h"
#include "weft/core/log.h"
#include "weft/core/text/counted.h"

namespace weft::api {
namespace {

struct PairEvaluationOptions {
  ViewPairOptions pairs;
  data::BadFileOptions bad_files;

  template <class V>
  void fields(V& v) {
    pairs.fields(v);
    bad_files.fields(v);
  }
  void validate() const { pairs.validate(); }
};

// The results of all pairs. Throws NumericError for one that is not finite.
template <class Predictor>
auto results_of(const Predictor& predictor, const data::ViewPairs& pairs) {
  Report report("pair");
  auto found = predict::predict(predictor, predict::pairs_of(pairs), report);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].fault) {
      fail<NumericError>("--evaluate", "pair {}: {}", i + 1, found[i].fault->reason);
    }
  }
  return found;
}

ModelEvaluation evaluate_completion(const EvaluationInput& in,
                                    const model_file::CrossViewSession& session) {
  const auto given =
      read_options<EvaluationOptions<CompleterOptions, PairEvaluationOptions>>(in.options);
  const PairEvaluationOptions& files = given.evaluation;
  predict::ViewPredictorOptions prediction = given.prediction.prediction(session.model.options);
  prediction.with_pictures = false;
  const auto pairs = files.pairs.read(session, in.files, files.bad_files.params());
  given.prediction.check_pairs(pairs->size());
  double sum = 0;
  for (const CompletedView& pair : results_of(predict::Completer(session, prediction), *pairs)) {
    sum += pair.error;
    in.pass({{"error", pair.error}});
  }
  const double mean = sum / static_cast<double>(pairs->size());
  log::info("mean error of {}: {:.4f}", counted(pairs->size(), "pair"), mean);
  return {.text = fmt::format("error {:.6f}\n", mean),
          .json = json_page({{"error", mean}, {"pairs", pairs->size()}})};
}

ModelEvaluation evaluate_motion(const EvaluationInput& in,
                                const model_file::CrossViewSession& session) {
  const auto given =
      read_options<EvaluationOptions<MotionOptions, PairEvaluationOptions>>(in.options);
  const PairEvaluationOptions& files = given.evaluation;
  const auto pairs = files.pairs.read(session, in.files, files.bad_files.params());
  if (pairs->numbers() != session.model.dims.numbers) {
    fail<FormatError>(in.files.front(), "{} numbers of a pair; expected {}", pairs->numbers(),
                      session.model.dims.numbers);
  }
  const auto found =
      results_of(predict::MotionPredictor(session, given.prediction.prediction()), *pairs);
  for (const predict::PredictedNumbers& pair : found) {
    in.pass({{"expected", pair.expected}, {"numbers", pair.predicted}});
  }
  const std::vector<double> errors = predict::absolute_errors(found);
  double sum = 0;
  for (size_t k = 0; k < errors.size(); ++k) sum += errors[k] / session.numbers.deviation[k];
  const double mean = sum / static_cast<double>(errors.size());
  return {
      .text = fmt::format("error {:.6f}\nabsolute errors {:.6f}\n", mean, fmt::join(errors, " ")),
      .json = json_page({{"error", mean}, {"absolute_errors", errors}})};
}

}  // namespace

ModelEvaluation evaluate_cross_view(const EvaluationInput& in) {
  const auto& session = session_of<model_file::CrossViewSession>(only(in));
  const bool is_completion = session.model.options.is_completion();
  return is_completion ? evaluate_completion(in, session) : evaluate_motion(in, session);
}

const OptionSchema& cross_view_evaluation_schema() { return schema_of<data::BadFileOptions>(); }

}  // namespace weft::api
