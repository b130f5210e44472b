#include "weft/metrics/statistics.h"

namespace weft::metrics {

std::vector<double> Statistics::total() const {
  std::vector<double> out(width);
  for (size_t i = 0; i < values.size(); ++i) out[i % width] += values[i];
  return out;
}

std::vector<double> Statistics::total(std::span<const int32_t> numbers) const {
  std::vector<double> out(width);
  for (const int32_t number : numbers) {
    const double* row = values.data() + static_cast<size_t>(number) * width;
    for (size_t k = 0; k < width; ++k) out[k] += row[k];
  }
  return out;
}

}  // namespace weft::metrics
