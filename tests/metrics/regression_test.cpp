// Golden values of scikit-learn and SciPy, written by tools/golden/regression.py.
#include "weft/metrics/regression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "weft/core/error.h"

namespace weft::metrics {
namespace {

constexpr std::array kNames = {"rmse", "mae", "r2", "pearson", "spearman"};

TEST(RegressionScores, AreThoseOfScikitLearnAndSciPy) {
  std::ifstream in(weft::test::source_path("tests/golden/regression.json"));
  const nlohmann::json cases = nlohmann::json::parse(in);
  ASSERT_FALSE(cases.empty());
  for (const nlohmann::json& one : cases) {
    SCOPED_TRACE(one.at("name").get<std::string>());
    const RegressionScores found =
        regression_scores(one.at("expected").get<std::vector<double>>(),
                          one.at("predicted").get<std::vector<double>>());
    for (const char* name : kNames) {
      EXPECT_NEAR(found.value(name), one.at(name).get<double>(), 1e-9) << name;
    }
  }
}

TEST(RegressionScores, AreNumbersWhereThereIsNoSpread) {
  const std::vector<double> none, same = {2, 2, 2}, other = {1, 2, 3};
  for (const char* name : kNames) EXPECT_EQ(regression_scores(none, none).value(name), 0) << name;
  EXPECT_EQ(regression_scores(same, same).r2, 1);
  EXPECT_EQ(regression_scores(same, other).r2, 0);
  EXPECT_EQ(regression_scores(same, other).pearson, 0);
  EXPECT_EQ(regression_scores(other, same).spearman, 0);
  EXPECT_EQ(regression_scores(other, same).rmse, std::sqrt(2.0 / 3));
}

TEST(RegressionScores, HaveAMeanAndNames) {
  const std::vector<double> expected = {1, 2, 3}, far = {2, 3, 4};
  const std::array all = {regression_scores(expected, expected), regression_scores(expected, far)};
  EXPECT_EQ(mean_of(all).rmse, 0.5);
  EXPECT_NEAR(mean_of(all).pearson, 1, 1e-15);
  EXPECT_EQ(mean_of(all).text(),
            "RMSE 0.5000, MAE 0.5000, R2 0.2500, Pearson 1.0000, Spearman 1.0000");
  EXPECT_THAT(weft::test::message_of<OptionError>([&] { all[0].value("accuracy"); }),
              testing::HasSubstr("expected rmse, mae, r2, pearson or spearman"));
  EXPECT_THROW(regression_scores(expected, std::vector<double>{1}), ShapeError);
}

}  // namespace
}  // namespace weft::metrics
