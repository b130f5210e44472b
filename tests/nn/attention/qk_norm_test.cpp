#include "weft/nn/attention/qk_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

// The scores of one query and key of two heads of 2, over sqrt(2).
std::vector<double> scores(const QkNorm& norm) {
  const Tensor q = norm.queries(Tensor::from<double>({3, 4, 0, -5}, {1, 4}), nullptr);
  const Tensor k = norm.keys(Tensor::from<double>({4, 3, 1, 1}, {1, 4}), nullptr);
  const double *x = q.data<double>(), *y = k.data<double>();
  return {(x[0] * y[0] + x[1] * y[1]) / std::sqrt(2), (x[2] * y[2] + x[3] * y[3]) / std::sqrt(2)};
}

QkNorm bound(const char* name, const std::vector<double>& values) {
  QkNormKinds kinds;
  kinds.select(name);
  QkNorm norm = make_qk_norm(kinds, 2, 1e-14);
  const auto named = parameters_of(norm);
  const Tensor flat = bind(named, DType::kF64);
  initialise(named, 1);
  if (!values.empty()) std::copy(values.begin(), values.end(), flat.span<double>().begin());
  return norm;
}

TEST(QkNorm, OfKindL2ScoresByCosinesTimesAFactor) {
  const std::vector<double> cosines = {24.0 / 25, -std::sqrt(0.5)};
  const std::vector<double> at_first = scores(bound("l2", {})), later = scores(bound("l2", {3}));
  for (int h = 0; h < 2; ++h) {
    EXPECT_NEAR(at_first[h], std::sqrt(2) * cosines[h], 1e-11);
    EXPECT_NEAR(later[h], 3 * std::sqrt(2) * cosines[h], 1e-11);
  }
}

TEST(QkNorm, OfKindRmsHasAGainForEachFeature) {
  // Both heads: q (3, 4) / sqrt(12.5) * (1, 2), k (4, 3) / sqrt(12.5) * (5, 1) and so on.
  const std::vector<double> got = scores(bound("rms", {1, 2, 5, 1}));
  EXPECT_NEAR(got[0], (3 * 4 * 5 + 4 * 2 * 3) / 12.5 / std::sqrt(2), 1e-11);
  EXPECT_NEAR(got[1], -5 * 2 * 1 / std::sqrt(12.5) / std::sqrt(2), 1e-11);
}

TEST(QkNorm, OfNoKindChangesNothing) {
  EXPECT_NEAR(scores(bound("none", {}))[0], 24 / std::sqrt(2), 1e-11);
}

}  // namespace
}  // namespace weft::nn
