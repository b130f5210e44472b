// Compares the fast conditional random field with the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/crf_problem.h"
#include "tests/kernels/targets.h"
#include "tests/support/kept_threads.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::CrfProblem;
using test::CrfResult;

constexpr auto kFast = [](const auto& call) { cpu::run(call); };

template <class T>
void expect_agreement(const Buffer<T>& got, const Buffer<T>& expected, double tolerance) {
  EXPECT_TRUE(got.slack_is_untouched());
  for (int64_t i = 0; i < got.rows(); ++i) {
    for (int64_t j = 0; j < got.cols(); ++j) {
      EXPECT_NEAR(got.at(i, j), expected.at(i, j), tolerance) << i << ", " << j;
    }
  }
}

template <class T>
void expect_agreement(const CrfResult<T>& got, const CrfResult<T>& expected, double tolerance) {
  for (size_t b = 0; b < got.loss.size(); ++b) {
    if (got.loss[b] == expected.loss[b]) continue;  // infinite
    EXPECT_NEAR(got.loss[b], expected.loss[b], 1e-11 * (1 + std::abs(expected.loss[b]))) << b;
  }
  EXPECT_EQ(got.best, expected.best);
  EXPECT_EQ(got.path_score, expected.path_score);
  expect_agreement(got.d_emissions, expected.d_emissions, tolerance);
  expect_agreement(got.d_transitions, expected.d_transitions, tolerance * 20);
  expect_agreement(got.d_start, expected.d_start, tolerance * 20);
  expect_agreement(got.d_end, expected.d_end, tolerance * 20);
  expect_agreement(got.marginals, expected.marginals, tolerance);
  expect_agreement(got.pairs, expected.pairs, tolerance * 20);
  for (size_t b = 0; b < got.log_partition.size(); ++b) {
    if (got.log_partition[b] == expected.log_partition[b]) continue;  // infinite
    EXPECT_NEAR(got.log_partition[b], expected.log_partition[b],
                1e-11 * (1 + std::abs(expected.log_partition[b])));
  }
}

template <class T>
bool same_bits(const CrfResult<T>& a, const CrfResult<T>& b) {
  return a.loss == b.loss && a.best == b.best && a.path_score == b.path_score &&
         a.d_emissions == b.d_emissions && a.d_transitions == b.d_transitions &&
         a.d_start == b.d_start && a.d_end == b.d_end && a.marginals == b.marginals &&
         a.pairs == b.pairs && a.log_partition == b.log_partition;
}

template <class T>
void compare(CrfProblem<T>& problem, double tolerance) {
  const weft::test::KeptThreads kept;
  CrfResult<T> expected(problem);
  expected.fill(problem, test::kReference, 0.3);
  test::for_each_target([&] {
    CrfResult<T> one(problem), two(problem);
    set_threads(1);
    one.fill(problem, kFast, 0.3);
    set_threads(2);
    two.fill(problem, kFast, 0.3);
    expect_agreement(one, expected, tolerance);
    EXPECT_TRUE(same_bits(one, two)) << "the bits depend on the number of threads";
  });
}

const std::vector<int32_t> kLengths{7, 0, 1, 30, 2, 5, 5, 9, 1, 0, 64, 3, 12, 8, 8, 8, 4, 6, 20, 2};

TEST(FastCrf, AgreesWithTheReference) {
  for (const int64_t labels : {1, 2, 17, 45}) {
    SCOPED_TRACE(labels);
    CrfProblem<double> wide(kLengths, labels, 5, 3);
    compare(wide, 1e-12);
    CrfProblem<float> narrow(kLengths, labels, 5, 3);
    compare(narrow, 1e-6);
  }
  CrfProblem<float> nothing({}, 4);
  compare(nothing, 0);
}

TEST(FastCrf, AgreesWithConstraints) {
  CrfProblem<double> p(kLengths, 5, 5);
  p.may_start = {1, 1, 0, 0, 1};
  p.may_end = {1, 0, 1, 1, 1};
  p.may_follow = std::vector<uint8_t>(25, 1);
  for (const int forbidden : {2, 3, 8, 11, 17, 22, 23}) p.may_follow[forbidden] = 0;
  compare(p, 1e-12);
  p.may_end = std::vector<uint8_t>(5, 0);
  compare(p, 1e-12);
}

// Exponentials of such scores underflow, so one or all sequences are computed in log space.
TEST(FastCrf, AgreesForALargeRangeOfScores) {
  for (const double size : {60.0, 1000.0, 1e6}) {
    SCOPED_TRACE(size);
    CrfProblem<double> p(kLengths, 4, size);
    compare(p, 1e-9);
  }
  CrfProblem<double> p(kLengths, 4, 2);
  for (int64_t n = 8; n < 20; ++n) p.emissions.at(n, n % 4) = n % 3 == 0 ? 3000 : -3000;
  p.may_follow = {1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1};
  compare(p, 1e-9);
}

// A label that is nearly impossible at first and the only likely one at the end.
TEST(FastCrf, AgreesWhereAnUnlikelyLabelBecomesTheOnlyOne) {
  for (const bool by_transition : {false, true}) {
    SCOPED_TRACE(by_transition);
    const auto may = static_cast<uint8_t>(by_transition ? 1 : 0);
    CrfProblem<double> p({6, 2}, 2, 0);
    p.may_follow = {1, may, 0, 1};
    p.may_start = {1, static_cast<uint8_t>(1 - may)};
    p.may_end = {1, 1};
    p.truth = {0, 0, 0, 0, 0, 0, 0, 0};
    (by_transition ? p.transitions.at(0, 1) : p.emissions.at(0, 1)) = -750;
    for (int64_t n = 1; n < 6; ++n) p.emissions.at(n, 0) = -199;
    compare(p, 1e-12);
  }
  CrfProblem<double> out_of_reach({6}, 2, 0);  // nothing leads to the likely label
  out_of_reach.may_start = {1, 0};
  out_of_reach.may_follow = {1, 0, 0, 1};
  out_of_reach.truth = {0, 0, 0, 0, 0, 0};
  for (int64_t n = 1; n < 6; ++n) out_of_reach.emissions.at(n, 0) = -199;
  compare(out_of_reach, 1e-12);
  CrfProblem<double> denormal({3}, 2, 0);
  denormal.may_start = {1, 0};
  denormal.emissions.at(0, 0) = -715;
  denormal.emissions.at(2, 1) = 0.5;
  compare(denormal, 1e-12);
}

TEST(FastCrf, PropagatesNan) {
  CrfProblem<float> p({3, 3}, 2);
  p.emissions.at(1, 0) = std::numeric_limits<float>::quiet_NaN();
  CrfResult<float> got(p);
  got.fill(p, kFast);
  EXPECT_TRUE(std::isnan(got.loss[0]));
  EXPECT_FALSE(std::isnan(got.loss[1]));
  p.transitions.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
  got.fill(p, kFast);
  EXPECT_TRUE(std::isnan(got.loss[1]));
}

TEST(FastCrf, DoesNotDependOnOtherSequences) {
  CrfProblem<float> all(kLengths, 6, 3), one({kLengths[3]}, 6, 3);
  const int32_t begin = all.offsets[3];
  for (int64_t n = 0; n < kLengths[3]; ++n) {
    std::copy_n(all.emissions.row(begin + n), 6, one.emissions.row(n));
    one.truth[n] = all.truth[begin + n];
  }
  CrfResult<float> among(all), alone(one);
  among.fill(all, kFast);
  alone.fill(one, kFast);
  EXPECT_EQ(among.loss[3], alone.loss[0]);
  EXPECT_EQ(among.path_score[3], alone.path_score[0]);
  for (int64_t n = 0; n < kLengths[3]; ++n) {
    EXPECT_EQ(among.best[begin + n], alone.best[n]);
    for (int64_t c = 0; c < 6; ++c) {
      EXPECT_EQ(among.marginals.at(begin + n, c), alone.marginals.at(n, c));
      EXPECT_EQ(among.d_emissions.at(begin + n, c), alone.d_emissions.at(n, c));
    }
  }
}

TEST(FastCrf, TakesBf16) {
  CrfProblem<float> p(kLengths, 5, 3);
  const int64_t rows = p.offsets.back();
  std::vector<BF16> emissions(static_cast<size_t>(rows * 5)), d_emissions(emissions);
  for (int64_t n = 0; n < rows; ++n) {
    for (int64_t c = 0; c < 5; ++c) {
      emissions[n * 5 + c] = BF16(p.emissions.at(n, c));
      p.emissions.at(n, c) = static_cast<float>(emissions[n * 5 + c]);
    }
  }
  CrfResult<float> expected(p);
  expected.fill(p, kFast);
  std::vector<double> loss(expected.loss.size());
  CrfScores scores = p.scores();
  scores.emissions = {emissions.data(), DType::kBF16, rows, 5, 5, rows};
  cpu::run(Crf{scores, p.truth, loss.data()});
  EXPECT_EQ(loss, expected.loss);
  const View d_view{d_emissions.data(), DType::kBF16, rows, 5, 5, rows};
  cpu::run(CrfBackward{.scores = scores, .labels = p.truth, .d_emissions = d_view});
  for (int64_t n = 0; n < rows; ++n) {
    EXPECT_NEAR(static_cast<float>(d_emissions[n * 5 + 1]), expected.d_emissions.at(n, 1), 0.004);
  }
}

}  // namespace
}  // namespace weft::kernels
