// How far predicted numbers are from those expected.
#ifndef WEFT_METRICS_REGRESSION_H_
#define WEFT_METRICS_REGRESSION_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

struct RegressionScores {
  double rmse = 0;      // root of the mean squared error
  double mae = 0;       // mean absolute error
  double r2 = 0;        // coefficient of determination: 1 - squared error / that of the mean
  double pearson = 0;   // correlation
  double spearman = 0;  // correlation of ranks, equals having the mean of their ranks

  // "rmse", "mae", "r2", "pearson" or "spearman"; throws OptionError for another name.
  double value(std::string_view metric) const;
  // "RMSE 0.5123, MAE 0.4011, R2 0.6120, Pearson 0.7931, Spearman 0.7811"
  std::string text() const;
};

// Equal to scikit-learn's and SciPy's; a correlation with numbers that are all equal is 0, and so
// is everything of no numbers. R2 of expected numbers that are all equal is 1 where the predicted
// ones are the same, else 0. Throws ShapeError for another number of predictions.
RegressionScores regression_scores(std::span<const double> expected,
                                   std::span<const double> predicted);
// The mean of each score.
RegressionScores mean_of(std::span<const RegressionScores> scores);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_REGRESSION_H_
