// Divergences of random fields, against sums over all labellings.
#include "weft/ops/losses/crf_divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/ops/misuse.h"
#include "tests/support/tensors.h"

namespace weft::ops {
namespace {

using weft::test::random_tensor;

constexpr int64_t kLabels = 3;

struct Field {
  Tensor emissions, transitions, start, end;

  explicit Field(uint64_t seed)
      : emissions(random_tensor({5, kLabels}, seed)),
        transitions(random_tensor({kLabels, kLabels}, seed + 1)),
        start(random_tensor({1, kLabels}, seed + 2)),
        end(random_tensor({1, kLabels}, seed + 3)) {}
  CrfField scores() const { return {emissions, {transitions, start, end}}; }

  // Of the labelling with this number, of rows [begin, end) divided by `temperature`.
  double score(int64_t code, int64_t first, int64_t last, double temperature) const {
    double sum = 0;
    int64_t before = -1;
    for (int64_t n = first; n < last; ++n, code /= kLabels) {
      const int64_t label = code % kLabels;
      sum += emissions.data<double>()[n * kLabels + label];
      sum += before < 0 ? start.data<double>()[label]
                        : transitions.data<double>()[before * kLabels + label];
      before = label;
    }
    return (sum + end.data<double>()[before]) / temperature;
  }
};

// I follows B or I alone.
bool is_allowed(int64_t code, int64_t rows) {
  int64_t before = 0;
  for (int64_t n = 0; n < rows; ++n, code /= kLabels) {
    if (code % kLabels == 2 && before == 0) return false;
    before = code % kLabels;
  }
  return true;
}

class CrfDivergence : public testing::Test {
 protected:
  const LayoutPtr rows_ = make_layout({{0, 3, 3, 5}});
  const AllowedTagsPtr bio_ = std::make_shared<const data::AllowedTags>(
      data::allowed_tags(std::vector<std::string>{"O", "B-x", "I-x"}, data::TagScheme::kBio));
  const Field student_{1}, teacher_{11};

  // The sum over sequences of KL(teacher, student).
  double expected(double temperature, bool is_bio) const {
    double sum = 0;
    for (const auto& [first, last] : {std::pair{0, 3}, {3, 5}}) {
      const auto count = static_cast<int64_t>(std::pow(kLabels, last - first));
      double ours = 0, theirs = 0;
      const auto each = [&](const std::function<void(double, double)>& body) {
        for (int64_t code = 0; code < count; ++code) {
          if (is_bio && !is_allowed(code, last - first)) continue;
          body(student_.score(code, first, last, temperature),
               teacher_.score(code, first, last, temperature));
        }
      };
      each([&](double y, double z) { ours += std::exp(y), theirs += std::exp(z); });
      each([&](double y, double z) {
        const double log_p = y - std::log(ours), log_t = z - std::log(theirs);
        sum += std::exp(log_t) * (log_t - log_p);
      });
    }
    return sum;
  }
};

TEST_F(CrfDivergence, IsTheSumOverAllLabellings) {
  for (const double t : {1.0, 2.5}) {
    for (const bool is_bio : {false, true}) {
      const Loss found = crf_divergence(
          student_.scores(), teacher_.scores(), rows_,
          {.allowed = is_bio ? bio_ : nullptr, .temperature = t, .weight = 0.5}, nullptr);
      EXPECT_NEAR(found.total, t * t * expected(t, is_bio), 1e-12);
      EXPECT_NEAR(found.value.item(), t * t * expected(t, is_bio) / 2, 1e-12);
    }
  }
  EXPECT_NEAR(crf_divergence(teacher_.scores(), teacher_.scores(), rows_, {}, nullptr).total, 0,
              1e-12);
}

TEST_F(CrfDivergence, RefusesWhatDoesNotFit) {
  const Tensor few = test::zeros(4, 3);
  const CrfField short_teacher{few, teacher_.scores().weights};
  test::expect_shape_errors(
      {{[&] { crf_divergence(student_.scores(), short_teacher, rows_, {}, nullptr); },
        "the teacher's emissions"}});
  EXPECT_THROW(
      crf_divergence(student_.scores(), teacher_.scores(), rows_, {.temperature = 0}, nullptr),
      OptionError);
}

}  // namespace
}  // namespace weft::ops
