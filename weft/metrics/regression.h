// How far predicted numbers are from those expected.
#ifndef WEFT_METRICS_REGRESSION_H_
#define WEFT_METRICS_REGRESSION_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::metrics {

// Of the numbers expected and those predicted for them, equal to scikit-learn's and SciPy's. A
// correlation with numbers that are all equal is 0, and so is everything of no numbers. Each throws
// ShapeError for another number of predictions.
double root_mean_squared_error(std::span<const double> expected, std::span<const double> predicted);
double mean_absolute_error(std::span<const double> expected, std::span<const double> predicted);
// The coefficient of determination: 1 - squared error / that of the mean. Of expected numbers that
// are all equal it is 1 where the predicted ones are the same, else 0.
double r2_score(std::span<const double> expected, std::span<const double> predicted);
double pearson_correlation(std::span<const double> expected, std::span<const double> predicted);
// The correlation of ranks; equals have the mean of their ranks.
double spearman_correlation(std::span<const double> expected, std::span<const double> predicted);

struct RegressionScores {
  double rmse = 0;
  double mae = 0;
  double r2 = 0;
  double pearson = 0;
  double spearman = 0;

  // "rmse", "mae", "r2", "pearson" or "spearman"; throws OptionError for another name.
  double value(std::string_view metric) const;
  // "RMSE 0.5123, MAE 0.4011, R2 0.6120, Pearson 0.7931, Spearman 0.7811"
  std::string text() const;
};

// All of them.
RegressionScores regression_scores(std::span<const double> expected,
                                   std::span<const double> predicted);
// The mean of each score.
RegressionScores mean_of(std::span<const RegressionScores> scores);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_REGRESSION_H_
