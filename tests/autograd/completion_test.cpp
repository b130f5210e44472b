#include "weft/autograd/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/autograd/tape.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::autograd {
namespace {

using testing::ElementsAre;
using Range = std::array<int64_t, 3>;  // node, begin, end

std::vector<Range> ranges(const std::vector<ParameterUse>& found) {
  std::vector<Range> out;
  for (const ParameterUse& use : found) out.push_back({use.node, use.begin, use.end});
  return out;
}

TEST(Completion, ComesWithTheFirstNodeThatUsesAParameter) {
  const auto found = completions({{2, 0, 10}, {5, 10, 15}, {7, 0, 10}, {9, 15, 20}}, 20);
  EXPECT_THAT(ranges(found), ElementsAre(Range{9, 15, 20}, Range{5, 10, 15}, Range{2, 0, 10}));
}

TEST(Completion, SplitsRangesThatOverlap) {
  const auto found = completions({{1, 0, 30}, {0, 10, 20}, {4, 20, 40}}, 40);
  EXPECT_THAT(ranges(found),
              ElementsAre(Range{4, 30, 40}, Range{1, 0, 10}, Range{1, 20, 30}, Range{0, 10, 20}));
}

TEST(Completion, LeavesWhatNoNodeUsesForTheEnd) {
  EXPECT_THAT(ranges(completions({{0, 4, 8}}, 12)),
              ElementsAre(Range{0, 4, 8}, Range{-1, 0, 4}, Range{-1, 8, 12}));
  EXPECT_THAT(completions({}, 0), testing::IsEmpty());
}

// Keeps what the gradient was when each place was told to be final.
class Recorder final : public GradientObserver {
 public:
  explicit Recorder(const Gradients& gradients)
      : gradients_(gradients), told_(gradients.flat().size()), seen_(told_.size()) {}
  void completed(int64_t begin, int64_t end) override {
    const std::vector<double> now = test::values(gradients_.flat());
    for (int64_t i = begin; i < end; ++i) {
      ++told_[i];
      seen_[i] = now[i];
    }
    ++calls_;
  }
  const std::vector<int>& told() const { return told_; }
  const std::vector<double>& seen() const { return seen_; }
  int calls() const { return calls_; }

 private:
  const Gradients& gradients_;
  std::vector<int> told_;
  std::vector<double> seen_;
  int calls_ = 0;
};

// y = x + sum(parameter); its gradient is d_y everywhere.
Tensor use(const Tensor& x, const Tensor& parameter, Tape& tape) {
  Tensor y = x.clone();
  tape.record({&y}, {&x, &parameter}, [](Backward& b) {
    const double d_y = b.d_output().item();
    b.write(0, [&](const Tensor& d_x) { backend_of(d_x)(kernels::Fill{.y = d_x, .value = d_y}); });
    b.write(1, [&](const Tensor& d) { backend_of(d)(kernels::Fill{.y = d, .value = d_y}); });
  });
  return y;
}

TEST(Completion, IsToldOnceAndOnlyWhenTheGradientIsFinal) {
  const Tensor flat = Tensor::zeros({1, 12});
  const auto parameter = [&](int64_t begin, int64_t end) {
    Tensor out = flat.col_range(begin, end);
    out.node = kParameter;
    return out;
  };
  Gradients gradients(flat);
  Tape tape;
  Tensor x = tape.watch(Tensor::zeros({1, 1}));
  for (const auto& [begin, end] : {std::pair{0, 4}, {4, 10}, {6, 8}, {0, 4}, {4, 6}, {0, 2}}) {
    x = use(x, parameter(begin, end), tape);
  }
  Recorder recorder(gradients);
  tape.backward(x, gradients, 1, &recorder);
  EXPECT_THAT(recorder.told(), testing::Each(1));
  EXPECT_EQ(recorder.seen(), test::values(gradients.flat()));
  EXPECT_THAT(recorder.seen(), ElementsAre(3, 3, 2, 2, 2, 2, 2, 2, 1, 1, 0, 0));
  EXPECT_EQ(recorder.calls(), 3);
}

}  // namespace
}  // namespace weft::autograd
