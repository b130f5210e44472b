// A metric as numbers that are summed over examples, which is what resampling needs of it.
#ifndef WEFT_METRICS_STATISTICS_H_
#define WEFT_METRICS_STATISTICS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::metrics {

struct Statistics {
  size_t width = 0;                                                // numbers of an example
  std::vector<double> values = {};                                 // [examples, width]
  std::function<double(std::span<const double> sums)> score = {};  // of sums [width]

  int64_t examples() const {
    return width == 0 ? 0 : std::ssize(values) / static_cast<int64_t>(width);
  }
  // The sums over all examples, [width].
  std::vector<double> total() const;
  // The sums over these examples. One that is given several times counts several times.
  std::vector<double> total(std::span<const int32_t> numbers) const;
};

}  // namespace weft::metrics

#endif  // WEFT_METRICS_STATISTICS_H_
