// Score functions compared with their definitions: thresholds by bisection, formulas, and finite
// differences in double.
#include "weft/kernels/ref/score_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/buffer.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/score_function.h"

namespace weft::kernels {
namespace {

using Row = std::vector<double>;

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-12;  // in double
constexpr ScoreFunction kAll[] = {ScoreFunction::kSoftmax,     ScoreFunction::kRelu,
                                  ScoreFunction::kSquaredRelu, ScoreFunction::kSigmoid,
                                  ScoreFunction::kSparsemax,   ScoreFunction::kEntmax15};

bool is_seen(double score) { return score != kNone; }

double count_seen(const Row& scores) {
  return static_cast<double>(std::ranges::count_if(scores, is_seen));
}

// 200 rows of 1 to 40 scores exact in float; of every four rows one has ties, one masked keys, one
// both. The first key of a row is never masked.
std::vector<Row> random_rows() {
  std::vector<Row> rows;
  RandomStream draws(7, 1);
  for (int i = 0; i < 200; ++i) {
    const bool has_ties = i % 2 == 1, hides = i % 4 >= 2;
    Row scores(i < 8 ? 1 : 1 + draws.below(40));
    for (double& score : scores) {
      score = static_cast<float>(6 * draws.uniform() - 3);
      if (has_ties) score = std::round(4 * score) / 4;
    }
    for (size_t j = 1; hides && j < scores.size(); ++j) {
      if (draws.below(3) == 0) scores[j] = kNone;
    }
    rows.push_back(scores);
  }
  return rows;
}

double over(double score, double threshold, int power) {
  return std::pow(std::max(score - threshold, 0.0), power);
}

// The t where the sum of max(s - t, 0)^power crosses 1.
double bisected_threshold(const Row& scores, int power) {
  double high = *std::ranges::max_element(scores), low = high - 1;  // sums 0, and 1 or more
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    double sum = 0;
    for (const double score : scores) sum += over(score, middle, power);
    (sum >= 1 ? low : high) = middle;
  }
  return low;
}

struct Probabilities {
  Row weights;
  double kept;
};

Probabilities weigh(ScoreFunction function, Row scores) {
  const double kept = ref::to_probabilities(function, std::span(scores));
  return {scores, kept};
}

Row weigh_fast(ScoreFunction function, const Row& scores) {
  test::Buffer<float> s(1, std::ssize(scores), scores), p(1, std::ssize(scores));
  cpu_backend()(AttentionProbabilities{.function = function, .s = s, .p = p});
  return {p.row(0), p.row(0) + p.cols()};
}

// Checks that weights are max(factor * s - t, 0)^power for the bisected t, and a distribution.
void expect_threshold_weights(ScoreFunction function, double factor, int power) {
  for (const Row& scores : random_rows()) {
    Row scaled = scores;
    for (double& score : scaled) score *= factor;
    const double threshold = bisected_threshold(scaled, power);
    const Probabilities got = weigh(function, scores);
    const Row fast = weigh_fast(function, scores);
    EXPECT_NEAR(got.kept, threshold, kRounding);
    double sum = 0;
    for (size_t j = 0; j < scores.size(); ++j) {
      const double expected = over(scaled[j], threshold, power);
      EXPECT_GE(got.weights[j], 0);
      EXPECT_NEAR(got.weights[j], expected, kRounding) << j;
      EXPECT_NEAR(fast[j], expected, 5e-6) << j << " in float";
      EXPECT_TRUE(is_seen(scores[j]) || got.weights[j] == 0) << j;
      sum += got.weights[j];
    }
    EXPECT_NEAR(sum, 1, kRounding);
    EXPECT_TRUE(count_seen(scores) > 1 || std::abs(got.weights[0] - 1) < kRounding);
  }
}

TEST(ScoreFunctions, SparsemaxMatchesItsThreshold) {
  expect_threshold_weights(ScoreFunction::kSparsemax, 1, 1);
}

TEST(ScoreFunctions, EntmaxMatchesItsThreshold) {
  expect_threshold_weights(ScoreFunction::kEntmax15, 0.5, 2);
}

TEST(ScoreFunctions, OthersMatchTheirFormulas) {
  for (const Row& scores : random_rows()) {
    const double n = count_seen(scores);
    const Row relu = weigh(ScoreFunction::kRelu, scores).weights;
    const Row squared = weigh(ScoreFunction::kSquaredRelu, scores).weights;
    const Row sigmoid = weigh(ScoreFunction::kSigmoid, scores).weights;
    const Row softmax = weigh(ScoreFunction::kSoftmax, scores).weights;
    double exponentials = 0;
    for (const double score : scores) exponentials += std::exp(score);
    for (size_t j = 0; j < scores.size(); ++j) {
      const double positive = is_seen(scores[j]) && scores[j] > 0 ? scores[j] : 0;
      EXPECT_NEAR(relu[j], positive / n, kRounding);
      EXPECT_NEAR(squared[j], positive * positive / n, kRounding);
      EXPECT_NEAR(sigmoid[j], 1 / (1 + n * std::exp(-scores[j])), kRounding);
      EXPECT_NEAR(softmax[j], std::exp(scores[j]) / exponentials, kRounding);
    }
    const double log_sum = weigh(ScoreFunction::kSoftmax, scores).kept;
    EXPECT_NEAR(log_sum, std::log(exponentials), kRounding);
  }
}

TEST(ScoreFunctions, AQueryWithoutKeysHasNoWeights) {
  for (const ScoreFunction function : kAll) {
    const Probabilities got = weigh(function, {kNone, kNone, kNone});
    EXPECT_EQ(got.weights, Row(3, 0.0));
    EXPECT_EQ(got.kept, kNone);
  }
}

TEST(ScoreFunctions, DistributionsAreShiftInvariant) {
  for (const ScoreFunction function :
       {ScoreFunction::kSoftmax, ScoreFunction::kSparsemax, ScoreFunction::kEntmax15}) {
    for (const Row& scores : random_rows()) {
      Row shifted = scores;
      for (double& score : shifted) score += 1000;
      const Row got = weigh(function, shifted).weights, expected = weigh(function, scores).weights;
      for (size_t j = 0; j < scores.size(); ++j) EXPECT_NEAR(got[j], expected[j], 1e-11);
    }
  }
}

// Whether a finite difference could cross a kink of the function.
bool is_near_corner(ScoreFunction function, const Row& scores) {
  double factor = 1, corner = 0;
  switch (function) {
    case ScoreFunction::kSoftmax:
    case ScoreFunction::kSigmoid: return false;
    case ScoreFunction::kRelu:
    case ScoreFunction::kSquaredRelu: break;
    case ScoreFunction::kSparsemax: corner = bisected_threshold(scores, 1); break;
    case ScoreFunction::kEntmax15: {
      Row halves = scores;
      for (double& score : halves) score /= 2;
      factor = 0.5, corner = bisected_threshold(halves, 2);
    }
  }
  return std::ranges::any_of(
      scores, [&](double score) { return std::abs(factor * score - corner) < 1e-3; });
}

double objective(ScoreFunction function, const Row& scores, const Row& d_weights) {
  const Row weights = weigh(function, scores).weights;
  double sum = 0;
  for (size_t j = 0; j < scores.size(); ++j) sum += d_weights[j] * weights[j];
  return sum;
}

void expect_slopes(ScoreFunction function, const Row& scores, const Row& d_weights) {
  constexpr double kStep = 1e-5;
  const int64_t count = std::ssize(scores);
  test::Buffer<double> s(1, count, scores), p(1, count), d_p(1, count, d_weights), d_s(1, count);
  ref_backend()(AttentionProbabilities{.function = function, .s = s, .p = p});
  ref_backend()(
      AttentionProbabilitiesBackward{.function = function, .s = s, .p = p, .d_p = d_p, .d_s = d_s});
  for (int64_t j = 0; j < count; ++j) {
    if (!is_seen(scores[j])) {
      EXPECT_EQ(d_s.at(0, j), 0) << j;
      continue;
    }
    Row above = scores, below = scores;
    above[j] += kStep;
    below[j] -= kStep;
    const double slope =
        (objective(function, above, d_weights) - objective(function, below, d_weights)) /
        (2 * kStep);
    EXPECT_NEAR(d_s.at(0, j), slope, 1e-7) << j;
  }
}

TEST(ScoreFunctions, GradientsAgreeWithDifferencesAwayFromKinks) {
  for (const ScoreFunction function : kAll) {
    SCOPED_TRACE(testing::Message() << "function " << static_cast<int>(function));
    RandomStream draws(7, 2);
    int checked = 0;
    for (const Row& scores : random_rows()) {
      Row d_weights(scores.size());
      for (double& d : d_weights) d = 2 * draws.uniform() - 1;
      if (is_near_corner(function, scores)) continue;
      expect_slopes(function, scores, d_weights);
      ++checked;
    }
    EXPECT_GE(checked, 80);
  }
}

}  // namespace
}  // namespace weft::kernels
