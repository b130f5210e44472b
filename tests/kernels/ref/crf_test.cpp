// Compares the reference conditional random field with sums over all labellings.
#include "weft/kernels/ref/crf.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/kernels/crf_problem.h"

namespace weft::kernels {
namespace {

using test::Buffer;
using test::CrfProblem;
using test::CrfResult;
using testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Enumerates the labellings of one sequence.
class Labellings {
 public:
  Labellings(CrfProblem<double>& problem, int64_t sequence)
      : problem_(problem),
        begin_(problem.offsets[sequence]),
        rows_(problem.offsets[sequence + 1] - begin_) {}

  // Calls body(labels, score); the score is -infinity if forbidden.
  template <class Body>
  void for_each(const Body& body) const {
    std::vector<int32_t> labels(static_cast<size_t>(rows_), 0);
    for (int64_t code = 0; code < std::pow(problem_.labels, rows_); ++code) {
      int64_t rest = code;
      for (int32_t& label : labels) {
        label = static_cast<int32_t>(rest % problem_.labels);
        rest /= problem_.labels;
      }
      body(labels, score(labels));
    }
  }
  double score(const std::vector<int32_t>& y) const {
    if (y.empty()) return 0;
    double sum = problem_.start.at(0, y.front()) + problem_.end.at(0, y.back());
    bool is_allowed = may(problem_.may_start, y.front()) && may(problem_.may_end, y.back());
    for (size_t t = 0; t < y.size(); ++t) {
      sum += problem_.emissions.at(begin_ + static_cast<int64_t>(t), y[t]);
      if (t == 0) continue;
      sum += problem_.transitions.at(y[t - 1], y[t]);
      is_allowed = is_allowed && may(problem_.may_follow, y[t - 1] * problem_.labels + y[t]);
    }
    return is_allowed ? sum : -kInfinity;
  }
  std::vector<int32_t> truth() const {
    return {problem_.truth.begin() + begin_, problem_.truth.begin() + begin_ + rows_};
  }
  int64_t begin() const { return begin_; }

 private:
  static bool may(const std::vector<uint8_t>& allowed, int64_t i) {
    return allowed.empty() || allowed[i] != 0;
  }
  CrfProblem<double>& problem_;
  int64_t begin_, rows_;
};

// Adds the mean number of times that each label follows another to `pairs`.
void expect_sentence(CrfProblem<double>& p, CrfResult<double>& got, int64_t sequence,
                     Buffer<double>& pairs) {
  const Labellings all(p, sequence);
  double total = 0, best = -kInfinity;
  Buffer<double> marginals(std::ssize(all.truth()), p.labels);
  all.for_each([&](const std::vector<int32_t>& labels, double score) {
    total += std::exp(score);
    best = std::max(best, score);
    for (size_t t = 0; t < labels.size(); ++t) marginals.at(t, labels[t]) += std::exp(score);
  });
  EXPECT_NEAR(got.loss[sequence], std::log(total) - all.score(all.truth()), 1e-12);
  EXPECT_NEAR(got.path_score[sequence], best, 1e-12);
  EXPECT_NEAR(got.log_partition[sequence], std::log(total), 1e-12);
  all.for_each([&](const std::vector<int32_t>& labels, double score) {
    for (size_t t = 1; t < labels.size(); ++t) {
      pairs.at(labels[t - 1], labels[t]) += std::exp(score) / total;
    }
  });
  const auto first = got.best.begin() + all.begin();
  EXPECT_NEAR(all.score({first, first + marginals.rows()}), best, 1e-12);
  for (int64_t t = 0; t < marginals.rows(); ++t) {
    for (int64_t c = 0; c < p.labels; ++c) {
      EXPECT_NEAR(got.marginals.at(all.begin() + t, c), marginals.at(t, c) / total, 1e-12);
    }
  }
}

void expect_all(CrfProblem<double>& p) {
  CrfResult<double> got(p);
  got.fill(p, test::kReference);
  Buffer<double> pairs(p.labels, p.labels);
  for (int64_t b = 0; b + 1 < std::ssize(p.offsets); ++b) {
    SCOPED_TRACE(b);
    expect_sentence(p, got, b, pairs);
  }
  for (int64_t i = 0; i < p.labels; ++i) {
    for (int64_t j = 0; j < p.labels; ++j) EXPECT_NEAR(got.pairs.at(i, j), pairs.at(i, j), 1e-12);
  }
}

TEST(Crf, IsTheSumOverAllLabellings) {
  CrfProblem<double> p({4, 1, 0, 6, 2}, 3, 2, 1);
  expect_all(p);
  CrfProblem<double> one({3, 1}, 1);
  expect_all(one);
}

// O, B and I: I follows B or I.
void add_bio(CrfProblem<double>& p) {
  p.may_follow = {1, 1, 0, 1, 1, 1, 1, 1, 1};
  p.may_start = {1, 1, 0};
  p.may_end = {1, 1, 1};
  for (size_t n = 0; n < p.truth.size(); ++n) p.truth[n] = static_cast<int32_t>(n % 2);
}

TEST(Crf, ExcludesForbiddenLabellings) {
  CrfProblem<double> p({4, 1, 0, 6, 2}, 3, 2);
  add_bio(p);
  p.may_end = {1, 0, 1};
  p.truth.back() = 0;
  p.truth[3] = p.truth[4] = p.truth[10] = 0;
  expect_all(p);
}

TEST(Crf, HasNoGradientForForbiddenLabels) {
  CrfProblem<double> p({2, 2}, 3);
  add_bio(p);
  p.truth = {0, 2, 0, 1};
  CrfResult<double> got(p);
  got.fill(p, test::kReference);
  EXPECT_EQ(got.loss[0], kInfinity);
  EXPECT_TRUE(std::isfinite(got.loss[1]));
  for (int64_t c = 0; c < 3; ++c) {
    EXPECT_EQ(got.d_emissions.at(0, c), 0);
    EXPECT_EQ(got.d_emissions.at(1, c), 0);
    EXPECT_NE(got.d_emissions.at(3, c), 0);
  }
  EXPECT_EQ(got.d_transitions.at(0, 2), 0);
}

TEST(Crf, SurvivesIfNothingIsAllowed) {
  CrfProblem<double> p({2}, 2);
  p.may_start = {0, 0};
  CrfResult<double> got(p);
  got.fill(p, test::kReference);
  EXPECT_EQ(got.loss[0], kInfinity);
  EXPECT_EQ(got.path_score[0], -kInfinity);
  EXPECT_THAT(got.best, ElementsAre(0, 0));
  EXPECT_EQ(got.marginals.at(0, 0), 0);
}

TEST(Crf, SelectsTheLowestLabelsOnTies) {
  CrfProblem<double> p({3}, 3, 0);
  CrfResult<double> got(p);
  got.fill(p, test::kReference);
  EXPECT_THAT(got.best, ElementsAre(0, 0, 0));
  p.transitions.at(1, 0) = p.transitions.at(2, 0) = 1;  // best are 1 0 x, 2 0 x, x 1 0 and x 2 0
  got.fill(p, test::kReference);
  EXPECT_THAT(got.best, ElementsAre(1, 0, 0));
}

TEST(Crf, GradientsAreAddedToSharedScores) {
  CrfProblem<double> p({4, 3}, 3);
  CrfResult<double> once(p), twice(p);
  once.fill(p, test::kReference, 0.5);
  twice.fill(p, test::kReference, 0.25);
  twice.fill(p, test::kReference, 0.25);
  for (int64_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(twice.d_transitions.at(1, c), once.d_transitions.at(1, c), 1e-15);
    EXPECT_NEAR(twice.d_start.at(0, c), once.d_start.at(0, c), 1e-15);
    EXPECT_NEAR(2 * twice.d_emissions.at(5, c), once.d_emissions.at(5, c), 1e-15);
  }
  EXPECT_TRUE(once.d_emissions.slack_is_untouched());
  EXPECT_TRUE(once.d_transitions.slack_is_untouched());
}

}  // namespace
}  // namespace weft::kernels
