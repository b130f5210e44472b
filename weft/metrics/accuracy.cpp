#include "weft/metrics/accuracy.h"

#include <algorithm>
#include <cmath>

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

Interval accuracy_interval(double right, double all) {
  if (all <= 0) return {};
  constexpr double kZ = 1.959963984540054;  // 97.5 % of a normal distribution lie below
  const double share = right / all;
  const double scale = 1 + kZ * kZ / all;
  const double centre = (share + kZ * kZ / (2 * all)) / scale;
  const double half = kZ * std::sqrt(share * (1 - share) / all + kZ * kZ / (4 * all * all)) / scale;
  return {std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

}  // namespace weft::metrics
