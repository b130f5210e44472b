// Golden values of scikit-learn and seqeval, written by tools/golden/labels.py.
#ifndef WEFT_TESTS_METRICS_LABELS_GOLDEN_H_
#define WEFT_TESTS_METRICS_LABELS_GOLDEN_H_

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/paths.h"
#include "weft/metrics/label_report.h"

namespace weft::metrics::test {

// The tolerance only covers the order of summation.
inline constexpr double kTolerance = 1e-12;

inline const nlohmann::json& golden() {
  static const nlohmann::json all = [] {
    std::ifstream in(weft::test::source_path("tests/golden/labels.json"));
    return nlohmann::json::parse(in);
  }();
  return all;
}

// `expected` is [precision, recall, f1, support].
inline void expect_score(const F1Score& got, int64_t support, const nlohmann::json& expected) {
  EXPECT_NEAR(got.precision, expected[0].get<double>(), kTolerance);
  EXPECT_NEAR(got.recall, expected[1].get<double>(), kTolerance);
  EXPECT_NEAR(got.f1, expected[2].get<double>(), kTolerance);
  EXPECT_EQ(static_cast<double>(support), expected[3].get<double>());
}

// Rows and averages by name; the micro average may be missing.
inline void expect_report(const LabelReport& got, const nlohmann::json& expected) {
  for (const LabelRow& row : got.rows) {
    SCOPED_TRACE(row.label);
    ASSERT_TRUE(expected.contains(row.label));
    expect_score(row.score, row.counts.expected, expected.at(row.label));
  }
  const bool has_micro = expected.contains("micro avg");
  EXPECT_EQ(got.rows.size(), expected.size() - (has_micro ? 3 : 2));
  if (has_micro) expect_score(got.micro, got.support, expected.at("micro avg"));
  expect_score(got.macro, got.support, expected.at("macro avg"));
  expect_score(got.weighted, got.support, expected.at("weighted avg"));
}

}  // namespace weft::metrics::test

#endif  // WEFT_TESTS_METRICS_LABELS_GOLDEN_H_
