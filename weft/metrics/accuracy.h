// The share of items that got the label that was expected.
#ifndef WEFT_METRICS_ACCURACY_H_
#define WEFT_METRICS_ACCURACY_H_

#include <cstdint>
#include <span>

namespace weft::metrics {

// Label ids of the same items; 0 where there is no item. Throws FormatError for different numbers.
double accuracy(std::span<const int32_t> expected, std::span<const int32_t> predicted);

// Throws FormatError, as `where: ...`, unless there are as many predicted as expected.
void check_same_count(const char* where, size_t expected, size_t predicted);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_ACCURACY_H_
