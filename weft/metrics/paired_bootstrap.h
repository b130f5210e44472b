// Whether one system is better than another on the same examples: paired bootstrap resampling
// (Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation") with the
// samples that sacreBLEU draws for the same seed.
#ifndef WEFT_METRICS_PAIRED_BOOTSTRAP_H_
#define WEFT_METRICS_PAIRED_BOOTSTRAP_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/metrics/statistics.h"

namespace weft::metrics {

// A metric over a sample of `examples` examples. `score` gets the numbers of those in the sample,
// which may repeat; several threads call it at once.
struct SampledMetric {
  int64_t examples = 0;
  std::function<double(std::span<const int32_t> numbers)> score;
};
SampledMetric sampled(Statistics statistics);

struct BootstrapOptions {
  int64_t samples = 1000;
  uint64_t seed = 12345;  // SACREBLEU_SEED
};

// Scores of samples of as many examples, drawn with replacement: the same examples for every metric
// of as many examples.
struct Bootstrap {
  std::vector<double> scores;
  double mean = 0;
  double interval = 0;  // half of the width of that which holds 95 % of the scores
};
// Throws FormatError if there are no examples.
Bootstrap bootstrap(const SampledMetric& metric, const BootstrapOptions& options);

// Scores of a system and of the baseline.
struct ScorePair {
  double baseline = 0, system = 0;
};
// Two-sided: how often samples would differ by as much as the scores do if the systems were equally
// good, which shifts the differences of samples by that of the scores.
double p_value(const Bootstrap& baseline, const Bootstrap& system, const ScorePair& scores);
// As sacreBLEU has it: how often the absolute difference of a sample exceeds the mean of these by
// that of the scores. Of equally good systems more than one in ten has less than 0.05.
double sacrebleu_p_value(const Bootstrap& baseline, const Bootstrap& system,
                         const ScorePair& scores);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_PAIRED_BOOTSTRAP_H_
