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
  if (expected.size() != predicted.size()) {
    fail<ShapeError>("regression scores", "expected {} predictions, got {}", expected.size(),
                     predicted.size());
  }
  if (expected.empty()) return {};
  const double middle = mean(expected), count = static_cast<double>(expected.size());
  double squared = 0, absolute = 0, spread = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double error = predicted[i] - expected[i], from_mean = expected[i] - middle;
    squared += error * error;
    absolute += std::abs(error);
    spread += from_mean * from_mean;
  }
  RegressionScores out{.rmse = std::sqrt(squared / count), .mae = absolute / count};
  out.r2 = spread > 0 ? 1 - squared / spread : squared == 0 ? 1 : 0;
  out.pearson = correlation(expected, predicted);
  out.spearman = correlation(ranks(expected), ranks(predicted));
  return out;
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
