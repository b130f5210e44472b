// The state that a cache carries from step to step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"
#include "weft/nn/attention/kv_cache.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;

class CarriedState : public testing::Test {
 protected:
  void enter(std::vector<int32_t> places) {
    cache_.enter(places, Segments::uniform(std::ssize(places), 1));
  }
  // The first number of each row's state; each is kept as it is, and 100 more.
  std::vector<double> step(std::vector<int32_t> parents, std::vector<int32_t> counts,
                           size_t layer = 0) {
    cache_.begin_step(parents, counts);
    const Tensor state = cache_.continue_state(layer, 2);
    Tensor next = state.clone();
    for (float& x : next.span<float>()) x += 100;
    cache_.keep_state(layer, next);
    std::vector<double> first;
    for (int64_t w = 0; w < state.rows(); ++w) first.push_back(test::values(state)[2 * w]);
    return first;
  }
  static Tensor states(std::vector<float> of_rows) {
    std::vector<float> all;
    for (const float x : of_rows) all.insert(all.end(), {x, -x});
    return Tensor::from(all, {std::ssize(of_rows), 2});
  }

  KvCache cache_{2, 3, DType::kBF16};
};

TEST_F(CarriedState, BeginsAtZerosAndFollowsTheParents) {
  enter({0, 2});
  EXPECT_THAT(step({-1, -1}, {1, 0, 1}), ElementsAre(0, 0));
  EXPECT_THAT(step({0, 0, 1}, {2, 0, 1}), ElementsAre(100, 100, 100));
}

TEST_F(CarriedState, BeginsWhereItsSentenceWasToldTo) {
  enter({2, 0});
  cache_.begin_state(0, states({7, 1}));
  EXPECT_THAT(step({-1, -1}, {1, 0, 1}), ElementsAre(1, 7));
  enter({1});
  cache_.begin_state(0, states({4}));
  EXPECT_THAT(step({1, -1, 0, 0}, {1, 1, 2}), ElementsAre(107, 4, 101, 101));
  EXPECT_THAT(step({3, 0}, {0, 0, 2}), ElementsAre(201, 207));  // the others are over
  enter({0});
  cache_.begin_state(0, states({5}));
  EXPECT_THAT(step({-1, 1, 0}, {1, 0, 2}), ElementsAre(5, 307, 301));
}

TEST_F(CarriedState, IsEachLayersOwn) {
  enter({0});
  cache_.begin_state(0, states({7}));
  EXPECT_THAT(step({-1}, {1}, 1), ElementsAre(0));
}

TEST_F(CarriedState, RefusesAnotherNumberOfColumns) {
  enter({0});
  cache_.begin_state(0, states({7}));
  EXPECT_THROW(cache_.begin_state(0, Tensor::zeros({1, 3})), ShapeError);
  EXPECT_THROW(cache_.begin_state(0, Tensor::zeros({2, 2})), ShapeError);
  step({-1}, {1});
  cache_.begin_step(std::vector<int32_t>{0}, std::vector<int32_t>{1});
  EXPECT_THROW(cache_.continue_state(0, 5), ShapeError);
}

}  // namespace
}  // namespace weft::nn
