#include "weft/metrics/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/metrics/labels_golden.h"
#include "tests/support/errors.h"
#include "weft/core/error.h"

namespace weft::metrics {
namespace {

using test::golden;
using weft::test::message_of;
using Ids = std::vector<int32_t>;

class Calibration : public testing::Test {
 protected:
  const nlohmann::json& golden_ = golden().at("temperature");
  const std::vector<float> logits_ = golden_.at("logits").get<std::vector<float>>();
  const Ids expected_ = golden_.at("expected").get<Ids>();
  const std::vector<Ids> sets_ = golden_.at("sets").get<std::vector<Ids>>();
  const LogitRows rows_{logits_, golden_.at("labels").get<int64_t>()};

  double number(const char* name) const { return golden_.at(name).get<double>(); }
};

TEST_F(Calibration, FindsTheTemperatureOfScipy) {
  const Temperature got = fit_temperature(rows_, expected_);
  EXPECT_NEAR(got.value, number("temperature"), 1e-9);
  EXPECT_NEAR(got.loss_before, number("before"), 1e-12);
  EXPECT_NEAR(got.loss_after, number("after"), 1e-12);
  EXPECT_LT(got.loss_after, got.loss_before);
}

TEST_F(Calibration, FindsTheTemperatureOfSeveralLabels) {
  const Temperature got = fit_temperature(rows_, sets_);
  EXPECT_NEAR(got.value, number("several"), 1e-9);
  EXPECT_NEAR(got.loss_before, number("several_before"), 1e-12);
  EXPECT_NEAR(got.loss_after, number("several_after"), 1e-12);
}

TEST_F(Calibration, StaysInItsBounds) {
  const std::vector<float> z{3, 0, 0, 3};
  const auto fit = [&](const Ids& labels) { return fit_temperature({z, 2}, labels).value; };
  EXPECT_EQ(fit({0, 1}), kMinTemperature);  // always right
  EXPECT_EQ(fit({1, 0}), kMaxTemperature);  // always wrong
  EXPECT_EQ(fit_temperature({{}, 2}, Ids{}).value, 1);
  const std::vector<float> equal{2, 2};
  EXPECT_EQ(fit_temperature({equal, 2}, Ids{1}).value, 1);
  const std::vector<float> large{3e38f, -3e38f};
  EXPECT_TRUE(std::isfinite(fit_temperature({large, 2}, Ids{0}).loss_after));
}

TEST_F(Calibration, ErrorIsTheMeanGapOfBins) {
  std::vector<Confidence> items;
  for (size_t i = 0; i < expected_.size(); ++i) {
    const float* z = logits_.data() + i * rows_.labels;
    const auto best = std::max_element(z, z + rows_.labels);
    double sum = 0;
    for (int64_t c = 0; c < rows_.labels; ++c) sum += std::exp(double{z[c]} - *best);
    items.push_back({1 / sum, best - z == expected_[i]});
  }
  EXPECT_NEAR(expected_calibration_error(items), number("calibration_error"), 1e-12);
  const std::vector<Confidence> sure{{1, true}, {0, false}}, wrong{{1, false}, {0, true}};
  EXPECT_EQ(expected_calibration_error(sure), 0);
  EXPECT_EQ(expected_calibration_error(wrong), 1);
  EXPECT_EQ(expected_calibration_error({}), 0);
  const std::vector<Confidence> edges{{0.5, true}, {1, false}};  // upper edges of bins
  EXPECT_EQ(expected_calibration_error(edges, 2), 0.75);
}

TEST_F(Calibration, RefusesInvalidInput) {
  EXPECT_EQ(message_of<FormatError>([] {
              fit_temperature({std::vector<float>{1, 2, 3}, 2}, Ids{0});
            }),
            "temperature: 3 logits; expected 2 for each of 1 items");
  EXPECT_EQ(message_of<FormatError>([] {
              fit_temperature({std::vector<float>{1, 2}, 2}, Ids{2});
            }),
            "temperature: label 2; expected 0 to 1");
  const std::vector<float> infinite{1, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(message_of<NumericError>([&] {
              fit_temperature({infinite, 2}, Ids{0});
            }),
            "temperature: a logit is inf");
  const std::vector<Confidence> over{{1.5, true}};
  EXPECT_EQ(message_of<NumericError>([&] { expected_calibration_error(over); }),
            "calibration: expected a probability of 0 to 1, got 1.5");
}

}  // namespace
}  // namespace weft::metrics
