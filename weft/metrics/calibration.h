// Whether a classifier's probabilities are what they say, and how to make them so.
#ifndef WEFT_METRICS_CALIBRATION_H_
#define WEFT_METRICS_CALIBRATION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::metrics {

// The probability that an item's label was given with, and whether it was the right one.
struct Confidence {
  double probability = 0;
  bool is_correct = false;
};

// Expected calibration error (Naeini et al. 2015; Guo et al. 2017, arXiv 1706.04599): the mean over
// items of |accuracy - mean probability| of their bin, of `bins` bins of equal width (l, r]; a
// probability of 0 is in the first. 0 where there is no item. Throws NumericError for a probability
// outside of 0 to 1.
double expected_calibration_error(std::span<const Confidence> items, int bins = 15);

// A temperature T, by which logits are divided (Guo et al. 2017), and the mean loss in nats without
// it and with it.
struct Temperature {
  double value = 1;
  double loss_before = 0, loss_after = 0;
};
inline constexpr double kLowestTemperature = 0.01, kHighestTemperature = 100;

// Logits [n, C], row by row.
struct LogitRows {
  std::span<const float> values;
  int64_t labels = 0;  // C
};

// The T of the lowest mean -log softmax(logits / T)[label]: a convex function of 1 / T, minimised
// to the last digits. Between the bounds above, 1 where there is no item. Throws FormatError for
// another number of labels or one out of range, and NumericError for a logit that is not finite.
Temperature fit_temperature(const LogitRows& logits, std::span<const int32_t> expected);

// The same for items of any number of labels, each of which has the probability
// sigmoid(logit / T); the loss is the mean binary cross-entropy over items and labels.
Temperature fit_temperature(const LogitRows& logits,
                            std::span<const std::vector<int32_t>> expected);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_CALIBRATION_H_
