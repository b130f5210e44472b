// Accuracy of single-label predictions.
#ifndef WEFT_METRICS_ACCURACY_H_
#define WEFT_METRICS_ACCURACY_H_

#include <cstdint>
#include <span>

namespace weft::metrics {

// The fraction of equal label ids; 0 if empty. Throws FormatError if the sizes differ.
double accuracy(std::span<const int32_t> expected, std::span<const int32_t> predicted);

// Where the fraction lies that `right` of `all` texts are drawn from, with 95 % confidence: the
// score interval (Wilson 1927). Of none, 0 to 1.
struct Interval {
  double low = 0, high = 1;
};
Interval accuracy_interval(double right, double all);

// Throws FormatError, prefixed with `where`, unless the counts are equal.
void check_same_count(const char* where, size_t expected, size_t predicted);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_ACCURACY_H_
