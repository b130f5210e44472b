#include "weft/metrics/calibration.h"

#include <algorithm>
#include <cmath>

#include "weft/core/error.h"

namespace weft::metrics {
namespace {

// The loss at b = 1 / T, summed over items, and its first two derivatives in b.
struct Slope {
  double loss = 0, first = 0, second = 0;
};

// -log softmax(b z)[expected].
void add_softmax(std::span<const float> z, int32_t expected, double b, Slope& out) {
  const double top = *std::ranges::max_element(z);
  double sum = 0, mean = 0, square = 0;  // moments of z - max(z) under the softmax
  for (const float logit : z) {
    const double below = logit - top, p = std::exp(b * below);
    sum += p;
    mean += p * below;
    square += p * below * below;
  }
  mean /= sum;
  const double target = z[expected] - top;
  out.loss += std::log(sum) - b * target;
  out.first += mean - target;
  out.second += std::max(0.0, square / sum - mean * mean);
}

// log(1 + exp(-s)), where s = b z for an expected label and -b z otherwise.
void add_sigmoid(double z, bool is_expected, double b, Slope& out) {
  const double signed_logit = is_expected ? z : -z, s = b * signed_logit;
  const double small = std::exp(-std::abs(s));                      // at most 1
  const double p = s >= 0 ? small / (1 + small) : 1 / (1 + small);  // sigmoid(-s)
  out.loss += std::max(-s, 0.0) + std::log1p(small);
  out.first -= p * signed_logit;
  out.second += p * (1 - p) * z * z;
}

// Minimises a convex function of b by Newton's method, with bisection when a step leaves the
// bracket.
template <class SlopeAt>
double minimise(const SlopeAt& slope_at) {
  double low = 1 / kMaxTemperature, high = 1 / kMinTemperature, b = 1;
  if (slope_at(b).first == 0) return b;
  if (slope_at(low).first >= 0) return low;
  if (slope_at(high).first <= 0) return high;
  for (int step = 0; step < 200 && high - low > 1e-15 * low; ++step) {
    const Slope current = slope_at(b);
    if (current.first == 0) return b;
    (current.first < 0 ? low : high) = b;
    const double newton = b - current.first / current.second;
    const double next = newton > low && newton < high ? newton : (low + high) / 2;
    if (std::abs(next - b) <= 1e-14 * b) return next;
    b = next;
  }
  return b;
}

template <class SlopeAt>
Temperature fit(const SlopeAt& slope_at, double items) {
  if (items == 0) return {};
  const double b = minimise(slope_at);
  return {1 / b, slope_at(1).loss / items, slope_at(b).loss / items};
}

void check(const LogitRows& logits, size_t items) {
  if (logits.labels < 1 || logits.values.size() != static_cast<size_t>(logits.labels) * items) {
    fail<FormatError>("temperature", "{} logits; expected {} for each of {} items",
                      logits.values.size(), logits.labels, items);
  }
  for (const float logit : logits.values) {
    if (!std::isfinite(logit)) fail<NumericError>("temperature", "a logit is {}", logit);
  }
}

void check_label(const LogitRows& logits, int32_t label) {
  if (label >= 0 && label < logits.labels) return;
  fail<FormatError>("temperature", "label {}; expected 0 to {}", label, logits.labels - 1);
}

}  // namespace

double expected_calibration_error(std::span<const Confidence> items, int bins) {
  struct Bin {
    double probability = 0, correct = 0;
  };
  std::vector<Bin> all(static_cast<size_t>(bins));
  for (const Confidence& item : items) {
    if (!(item.probability >= 0 && item.probability <= 1)) {
      fail<NumericError>("calibration", "expected a probability of 0 to 1, got {}",
                         item.probability);
    }
    const auto bin = static_cast<int64_t>(std::ceil(item.probability * bins)) - 1;
    all[std::clamp<int64_t>(bin, 0, bins - 1)].probability += item.probability;
    all[std::clamp<int64_t>(bin, 0, bins - 1)].correct += item.is_correct ? 1 : 0;
  }
  double sum = 0;
  for (const Bin& bin : all) sum += std::abs(bin.correct - bin.probability);
  return items.empty() ? 0 : sum / static_cast<double>(items.size());
}

Temperature fit_temperature(const LogitRows& logits, std::span<const int32_t> expected) {
  check(logits, expected.size());
  for (const int32_t label : expected) check_label(logits, label);
  const auto slope_at = [&](double b) {
    Slope out;
    for (size_t i = 0; i < expected.size(); ++i) {
      add_softmax(logits.values.subspan(i * logits.labels, logits.labels), expected[i], b, out);
    }
    return out;
  };
  return fit(slope_at, static_cast<double>(expected.size()));
}

Temperature fit_temperature(const LogitRows& logits,
                            std::span<const std::vector<int32_t>> expected) {
  check(logits, expected.size());
  std::vector<bool> is_expected(logits.values.size(), false);
  for (size_t i = 0; i < expected.size(); ++i) {
    for (const int32_t label : expected[i]) {
      check_label(logits, label);
      is_expected[i * logits.labels + label] = true;
    }
  }
  const auto slope_at = [&](double b) {
    Slope out;
    for (size_t i = 0; i < is_expected.size(); ++i) {
      add_sigmoid(logits.values[i], is_expected[i], b, out);
    }
    return out;
  };
  return fit(slope_at, static_cast<double>(is_expected.size()));
}

}  // namespace weft::metrics
