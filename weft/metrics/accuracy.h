// Accuracy of single-label predictions.
#ifndef WEFT_METRICS_ACCURACY_H_
#define WEFT_METRICS_ACCURACY_H_

#include <cstdint>
#include <span>

namespace weft::metrics {

// The fraction of equal label ids; 0 if empty. Throws FormatError if the sizes differ.
double accuracy(std::span<const int32_t> expected, std::span<const int32_t> predicted);

// Throws FormatError, prefixed with `where`, unless the counts are equal.
void check_same_count(const char* where, size_t expected, size_t predicted);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_ACCURACY_H_
