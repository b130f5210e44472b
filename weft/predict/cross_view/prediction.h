// What a model of two views predicts of pairs, and how far that is from the truth.
#ifndef WEFT_PREDICT_CROSS_VIEW_PREDICTION_H_
#define WEFT_PREDICT_CROSS_VIEW_PREDICTION_H_

#include <functional>
#include <span>
#include <vector>

#include "weft/predict/cross_view/view_batch.h"

namespace weft::predict {

// Pictures of bytes, and the mean squared error of the masked patches in units of what the model
// predicts: pixels divided by the deviation of those that it was trained on, or, with
// --normalise-patches, by that of their patch.
struct Completion {
  int64_t example = 0;
  data::Image masked;     // the first view with grey in place of its masked patches
  data::Image completed;  // with what the model predicts there
  data::Image first, second;
  double error = 0;
  bool is_finite =
      true;  // false: what the model predicts is not numbers; `completed` is grey there
};

struct PredictionOptions {
  double mask_ratio = 0;
  SecondView second = SecondView::kOwn;
  uint64_t seed = 1;          // of masks and crops
  int64_t mini_batch = 64;    // pairs together
  int64_t first_example = 0;  // the number of the first pair, which its random numbers depend on
};

// Calls take() for each pair in order. With --normalise-patches a completed patch has the mean and
// deviation of the true one, which the model does not predict.
void complete_pairs(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                    const PredictionOptions& options,
                    const std::function<void(const Completion&)>& take);

struct PredictedNumbers {
  std::vector<float> expected, predicted;  // [pairs, K]; of pairs without numbers nothing expected
  int64_t numbers = 0;                     // K

  int64_t pairs() const { return std::ssize(predicted) / numbers; }
  std::span<const float> of_pair(int64_t pair) const {
    return std::span(predicted).subspan(pair * numbers, numbers);
  }
};
// The numbers of each pair, of an --objective motion.
PredictedNumbers predict_numbers(const model_file::CrossViewSession& session,
                                 const data::ViewPairs& pairs, const PredictionOptions& options);
// The mean absolute difference of each number, [K].
std::vector<double> absolute_errors(const PredictedNumbers& found);

// What training minimises, a mean over pairs: of completion Completion::error, of motion the mean
// absolute difference in units of each number's deviation.
double mean_error(const model_file::CrossViewSession& session, const data::ViewPairs& pairs,
                  const PredictionOptions& options);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_CROSS_VIEW_PREDICTION_H_
