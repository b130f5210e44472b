// The state that a cache carries from pass to pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/nn/attention/kv_cache.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;

class CarriedState : public testing::Test {
 protected:
  void add(std::vector<int32_t> slots) {
    cache_.add_sequences(slots, Segments::uniform(std::ssize(slots), 1));
  }
  std::vector<double> step(std::vector<int32_t> parents, std::vector<int32_t> counts,
                           size_t layer = 0) {
    cache_.begin_step(parents, counts);
    return continued(layer);
  }
  // A row of each prompt.
  std::vector<double> prompt(std::vector<int32_t> slots) {
    cache_.begin_prompt(slots, Segments::uniform(std::ssize(slots), 1));
    return continued(0);
  }
  static Tensor states(std::vector<float> firsts) {
    std::vector<float> all;
    for (const float x : firsts) all.insert(all.end(), {x, -x});
    return Tensor::from(all, {std::ssize(firsts), 2});
  }

  KvCache cache_{std::vector<kernels::AttentionPattern>(2), DType::kBF16};

 private:
  // The first number of each state; each is kept as it is, and 100 more.
  std::vector<double> continued(size_t layer) {
    const Tensor state = cache_.continue_state(layer, 2);
    Tensor next = state.clone();
    for (float& x : next.span<float>()) x += 100;
    cache_.keep_state(layer, next);
    std::vector<double> first;
    for (int64_t w = 0; w < state.rows(); ++w) first.push_back(test::values(state)[2 * w]);
    return first;
  }
};

TEST_F(CarriedState, BeginsAtZerosAndFollowsTheParents) {
  add({0, 2});
  EXPECT_THAT(step({-1, -1}, {1, 0, 1}), ElementsAre(0, 0));
  EXPECT_THAT(step({0, 0, 0}, {2, 0, 1}), ElementsAre(100, 100, 100));
}

TEST_F(CarriedState, BeginsWhereItsSequenceWasToldTo) {
  add({2, 0});
  cache_.begin_state(0, states({7, 1}));
  EXPECT_THAT(step({-1, -1}, {1, 0, 1}), ElementsAre(1, 7));
  add({1});
  cache_.begin_state(0, states({4}));
  EXPECT_THAT(step({0, -1, 0, 0}, {1, 1, 2}), ElementsAre(101, 4, 107, 107));
  cache_.release(std::vector<int32_t>{0, 1});
  EXPECT_THAT(step({1, 0}, {0, 0, 2}), ElementsAre(207, 207));
  add({0});
  cache_.begin_state(0, states({5}));
  EXPECT_THAT(step({-1, 1, 0}, {1, 0, 2}), ElementsAre(5, 307, 307));
}

TEST_F(CarriedState, GoesThroughThePromptToTheSteps) {
  add({0, 1});
  cache_.begin_state(0, states({1, 2}));
  EXPECT_THAT(prompt({1, 0}), ElementsAre(2, 1));
  EXPECT_THAT(prompt({1}), ElementsAre(102));
  EXPECT_THAT(step({-1, -1, -1}, {1, 2}), ElementsAre(101, 202, 202));
  add({2});
  EXPECT_THAT(prompt({2}), ElementsAre(0));
  EXPECT_THAT(step({0, 1, -1}, {1, 1, 1}), ElementsAre(201, 302, 100));
}

TEST_F(CarriedState, IsForgottenWhenTheSlotHasAnotherSequence) {
  add({0});
  prompt({0});
  EXPECT_THAT(prompt({0}), ElementsAre(100));
  add({0});
  EXPECT_THAT(prompt({0}), ElementsAre(0));
}

TEST_F(CarriedState, IsSharedWithAWholePromptAlone) {
  add({0, 1, 2});
  prompt({0});
  prompt({0});
  EXPECT_EQ(cache_.share_prompt(0, 1, 1), 0);
  EXPECT_EQ(cache_.share_prompt(0, 1, 2), 2);
  EXPECT_THAT(prompt({2, 1}), ElementsAre(0, 200));
  EXPECT_THAT(prompt({0}), ElementsAre(200));
}

TEST_F(CarriedState, StaysWhileItsSequenceIsParked) {
  add({0, 1});
  cache_.begin_state(0, states({1, 2}));
  step({-1, -1, -1}, {2, 1});
  EXPECT_THAT(step({0, 0}, {0, 2}), ElementsAre(102, 102));
  EXPECT_THAT(step({1}, {0, 1}), ElementsAre(202));
  EXPECT_THAT(step({1, 0, 0}, {2, 1}), ElementsAre(101, 101, 302));
  EXPECT_THAT(step({0, 0}, {1, 1}), ElementsAre(201, 402));
}

TEST_F(CarriedState, IsEachLayersOwn) {
  add({0});
  cache_.begin_state(0, states({7}));
  EXPECT_THAT(step({-1}, {1}, 1), ElementsAre(0));
}

TEST_F(CarriedState, RefusesAnotherNumberOfColumns) {
  add({0});
  cache_.begin_state(0, states({7}));
  EXPECT_THROW(cache_.begin_state(0, Tensor::zeros({1, 3})), ShapeError);
  EXPECT_THROW(cache_.begin_state(0, Tensor::zeros({2, 2})), ShapeError);
  step({-1}, {1});
  cache_.begin_step(std::vector<int32_t>{0}, std::vector<int32_t>{1});
  EXPECT_THROW(cache_.continue_state(0, 5), ShapeError);
}

}  // namespace
}  // namespace weft::nn
