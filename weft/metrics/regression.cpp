#include "weft/metrics/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "weft/core/error.h"

namespace weft::metrics {
namespace {

double mean(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

void check_predictions(std::span<const double> expected, std::span<const double> predicted) {
  if (expected.size() == predicted.size()) return;
  fail<ShapeError>("regression scores", "expected {} predictions, got {}", expected.size(),
                   predicted.size());
}

double correlation(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean(x), mean_y = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double dx = x[i] - mean_x, dy = y[i] - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  if (xx == 0 || yy == 0) return 0;
  return std::clamp(xy / (std::sqrt(xx) * std::sqrt(yy)), -1.0, 1.0);
}

// From 1; equals have the mean of their ranks.
std::vector<double> ranks(std::span<const double> x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return x[i]; });
  std::vector<double> out(x.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && x[order[end]] == x[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (size_t i = begin; i < end; ++i) out[order[i]] = rank;
    begin = end;
  }
  return out;
}

}  // namespace

double root_mean_squared_error(std::span<const double> expected,
                               std::span<const double> predicted) {
  check_predictions(expected, predicted);
  double sum = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = predicted[i] - expected[i];
    sum += error * error;
  }
  return expected.empty() ? 0 : std::sqrt(sum / static_cast<double>(expected.size()));
}

double mean_absolute_error(std::span<const double> expected, std::span<const double> predicted) {
  check_predictions(expected, predicted);
  double sum = 0;
  for (size_t i = 0; i < expected.size(); ++i) sum += std::abs(predicted[i] - expected[i]);
  return expected.empty() ? 0 : sum / static_cast<double>(expected.size());
}

double r2_score(std::span<const double> expected, std::span<const double> predicted) {
  check_predictions(expected, predicted);
  if (expected.empty()) return 0;
  const double middle = mean(expected);
  double squared = 0, spread = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = predicted[i] - expected[i], from_mean = expected[i] - middle;
    squared += error * error;
    spread += from_mean * from_mean;
  }
  if (spread > 0) return 1 - squared / spread;
  return squared == 0 ? 1 : 0;
}

double pearson_correlation(std::span<const double> expected, std::span<const double> predicted) {
  check_predictions(expected, predicted);
  return expected.empty() ? 0 : correlation(expected, predicted);
}

double spearman_correlation(std::span<const double> expected, std::span<const double> predicted) {
  check_predictions(expected, predicted);
  return expected.empty() ? 0 : correlation(ranks(expected), ranks(predicted));
}

double RegressionScores::value(std::string_view metric) const {
  if (metric == "rmse") return rmse;
  if (metric == "mae") return mae;
  if (metric == "r2") return r2;
  if (metric == "pearson") return pearson;
  if (metric == "spearman") return spearman;
  fail<OptionError>("metric", "expected rmse, mae, r2, pearson or spearman, got {}", quote(metric));
}

std::string RegressionScores::text() const {
  return fmt::format("RMSE {:.4f}, MAE {:.4f}, R2 {:.4f}, Pearson {:.4f}, Spearman {:.4f}", rmse,
                     mae, r2, pearson, spearman);
}

RegressionScores regression_scores(std::span<const double> expected,
                                   std::span<const double> predicted) {
  return {.rmse = root_mean_squared_error(expected, predicted),
          .mae = mean_absolute_error(expected, predicted),
          .r2 = r2_score(expected, predicted),
          .pearson = pearson_correlation(expected, predicted),
          .spearman = spearman_correlation(expected, predicted)};
}

RegressionScores mean_of(std::span<const RegressionScores> scores) {
  RegressionScores out;
  for (const RegressionScores& one : scores) {
    const double share = 1 / static_cast<double>(scores.size());
    out.rmse += share * one.rmse;
    out.mae += share * one.mae;
    out.r2 += share * one.r2;
    out.pearson += share * one.pearson;
    out.spearman += share * one.spearman;
  }
  return out;
}

}  // namespace weft::metrics
