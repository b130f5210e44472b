// Calibration of a classifier's probabilities.
#ifndef WEFT_METRICS_CALIBRATION_H_
#define WEFT_METRICS_CALIBRATION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::metrics {

// The probability of a predicted label, and whether the label is correct.
struct Confidence {
  double probability = 0;
  bool is_correct = false;
};

// Expected calibration error (Naeini et al. 2015; Guo et al. 2017, arXiv 1706.04599): the mean over
// items of |accuracy - mean probability| of their bin, with `bins` bins (l, r] of equal width.
// Probability 0 is in the first bin. 0 if there are no items. Throws NumericError for a probability
// outside [0, 1].
double expected_calibration_error(std::span<const Confidence> items, int bins = 15);

// A temperature T that divides logits (Guo et al. 2017), with the mean loss in nats before and
// after.
struct Temperature {
  double value = 1;
  double loss_before = 0, loss_after = 0;
};
inline constexpr double kMinTemperature = 0.01, kMaxTemperature = 100;

// Logits [n, C], row-major.
struct LogitRows {
  std::span<const float> values;
  int64_t labels = 0;  // C
};

// The T within the bounds above that minimises the mean -log softmax(logits / T)[label], a convex
// function of 1 / T, to machine precision. 1 if there are no items. Throws FormatError for a wrong
// number of labels or a label out of range, and NumericError for a logit that is not finite.
Temperature fit_temperature(const LogitRows& logits, std::span<const int32_t> expected);

// The same for multi-label items with probabilities sigmoid(logit / T); the loss is the mean binary
// cross-entropy over items and labels.
Temperature fit_temperature(const LogitRows& logits,
                            std::span<const std::vector<int32_t>> expected);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_CALIBRATION_H_
