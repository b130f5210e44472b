#include "weft/metrics/accuracy.h"

#include "weft/core/error.h"

namespace weft::metrics {

void check_same_count(const char* where, size_t expected, size_t predicted) {
  if (expected != predicted) {
    fail<FormatError>(where, "expected one label for each of {} items, got {}", expected,
                      predicted);
  }
}

double accuracy(std::span<const int32_t> expected, std::span<const int32_t> predicted) {
  check_same_count("accuracy", expected.size(), predicted.size());
  if (expected.empty()) return 0;
  int64_t correct = 0;
  for (size_t i = 0; i < expected.size(); ++i) correct += expected[i] == predicted[i] ? 1 : 0;
  return static_cast<double>(correct) / static_cast<double>(expected.size());
}

}  // namespace weft::metrics
