// What models of two views predict of pairs, and how far that is from the truth.
#ifndef WEFT_PREDICT_CROSS_VIEW_VIEW_PREDICTORS_H_
#define WEFT_PREDICT_CROSS_VIEW_VIEW_PREDICTORS_H_

#include <optional>
#include <span>
#include <vector>

#include "weft/predict/cross_view/view_batch.h"
#include "weft/predict/predictor.h"
#include "weft/views.h"

namespace weft::predict {

// A pair of a data set, which has to outlive it.
struct PairOfSet {
  const data::ViewPairs* pairs;
  int64_t pair;
};
std::vector<PairOfSet> pairs_of(const data::ViewPairs& pairs);

struct ViewPredictorOptions {
  double mask_ratio = 0;  // of a completion
  SecondView second = SecondView::kOwn;
  uint64_t seed = 1;          // of masks and crops
  int64_t mini_batch = 64;    // pairs together
  bool with_pictures = true;  // of a completion
};

// Draws pairs: their random numbers depend on the seed and on the number of a pair in the report.
class PairDrawer {
 public:
  using Request = DrawnPair;

  // The session has to outlive it.
  PairDrawer(const model_file::CrossViewSession& session, const ViewPredictorOptions& options)
      : session_(session), options_(options) {}

  Prepared<Request> prepare(std::span<const PairOfSet> pairs, Report& report) const;
  int64_t most_prepared() const { return options_.mini_batch; }

 protected:
  const model_file::CrossViewSession& session_;
  ViewPredictorOptions options_;
};

// Of models of --objective completion. The error is in units of what the model predicts: pixels
// divided by the deviation of those that it was trained on, or, with --normalise-patches, by that
// of their patch. With a fault `completed` is grey where there are no numbers. With
// --normalise-patches a completed patch has the mean and deviation of the true one, which the model
// does not predict.
class Completer : public PairDrawer {
 public:
  struct Answer {
    CompletedView completion;
    bool is_finite = true;
  };
  using Result = CompletedView;
  using PairDrawer::PairDrawer;

  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
};

struct PredictedNumbers {
  std::vector<float> predicted = {};  // [K]
  std::vector<float> expected = {};   // [K]; empty of a pair without numbers
  std::optional<Fault> fault = {};
};

// Of models of --objective motion.
class MotionPredictor : public PairDrawer {
 public:
  using Answer = PredictedNumbers;
  using Result = PredictedNumbers;
  using PairDrawer::PairDrawer;

  std::vector<Answer> run(std::span<Request> requests) const;
  std::vector<Result> finish(const Prepared<Request>& prepared, std::span<Answer> answers,
                             Report& report) const;
};

// The mean absolute difference of each number, [K].
std::vector<double> absolute_errors(std::span<const PredictedNumbers> found);

// What training minimises, a mean over pairs: of completion CompletedView::error, of motion the
// mean absolute difference in units of each number's deviation.
double mean_error(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                  ViewPredictorOptions options);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CROSS_VIEW_VIEW_PREDICTORS_H_
