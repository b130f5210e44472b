#include "weft/metrics/paired_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "weft/core/error.h"
#include "weft/core/parallel.h"
#include "weft/metrics/accuracy.h"
#include "weft/metrics/numpy_random.h"

namespace weft::metrics {
namespace {

constexpr int64_t kTogether = 32;  // samples whose numbers are in memory

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> differences_of(const Bootstrap& baseline, const Bootstrap& system) {
  check_same_count("bootstrap", baseline.scores.size(), system.scores.size());
  std::vector<double> out;
  for (size_t i = 0; i < system.scores.size(); ++i) {
    out.push_back(system.scores[i] - baseline.scores[i]);
  }
  return out;
}

// Of the samples and one more, which is never 0.
template <class Counts>
double share_of(std::span<const double> samples, Counts counts) {
  return static_cast<double>(std::ranges::count_if(samples, counts) + 1) /
         static_cast<double>(samples.size() + 1);
}

}  // namespace

SampledMetric sampled(Statistics statistics) {
  const int64_t examples = statistics.examples();
  return {examples, [statistics = std::move(statistics)](std::span<const int32_t> numbers) {
            return statistics.score(statistics.total(numbers));
          }};
}

Bootstrap bootstrap(const SampledMetric& metric, const BootstrapOptions& options) {
  if (metric.examples < 1 || metric.examples > std::numeric_limits<int32_t>::max()) {
    fail<FormatError>("bootstrap", "{} examples; expected 1 or more", metric.examples);
  }
  const auto n = static_cast<size_t>(metric.examples);
  NumpyRandom random(options.seed);
  Bootstrap out;
  out.scores.resize(static_cast<size_t>(options.samples));
  std::vector<int32_t> numbers(n * kTogether);
  for (int64_t begin = 0; begin < options.samples; begin += kTogether) {
    const int64_t count = std::min(kTogether, options.samples - begin);
    for (size_t i = 0; i < n * static_cast<size_t>(count); ++i) {
      numbers[i] = static_cast<int32_t>(random.below(static_cast<uint32_t>(n)));
    }
    parallel_for(count, 1, [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        out.scores[begin + i] = metric.score(std::span(numbers).subspan(n * i, n));
      }
    });
  }
  std::vector<double> sorted = out.scores;
  std::ranges::sort(sorted);
  const size_t lower = sorted.size() / 40;
  out.mean = mean_of(sorted);
  out.interval = (sorted[sorted.size() - lower - 1] - sorted[lower]) / 2;
  return out;
}

double p_value(const Bootstrap& baseline, const Bootstrap& system, const ScorePair& scores) {
  const double difference = scores.system - scores.baseline;
  return share_of(differences_of(baseline, system), [&](double sample) {
    return std::abs(sample - difference) >= std::abs(difference);
  });
}

double sacrebleu_p_value(const Bootstrap& baseline, const Bootstrap& system,
                         const ScorePair& scores) {
  std::vector<double> samples = differences_of(baseline, system);
  for (double& sample : samples) sample = std::abs(sample);
  const double mean = mean_of(samples), difference = std::abs(scores.system - scores.baseline);
  return share_of(samples, [&](double sample) { return sample - mean > difference; });
}

}  // namespace weft::metrics
