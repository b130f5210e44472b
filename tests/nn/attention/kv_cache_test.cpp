#include "weft/nn/attention/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::nn {
namespace {

using testing::ElementsAre;

void begin(KvCache& cache, std::vector<int32_t> parents, std::vector<int32_t> counts) {
  cache.begin_step(parents, counts);
}

TEST(KvCache, FollowsEveryHypothesisBackThroughItsParents) {
  KvCache cache(1, 4);
  begin(cache, {0, 0}, {1, 1});
  EXPECT_THAT(cache.ancestors(), ElementsAre(0, 1));
  begin(cache, {0, 0, 1}, {2, 1});
  EXPECT_THAT(cache.ancestors(), ElementsAre(0, 0, 1, 0, 1, 2));
  begin(cache, {2, 2}, {0, 2});
  EXPECT_THAT(cache.ancestors(), ElementsAre(1, 1, 2, 2, 0, 1));
  EXPECT_EQ(cache.length(), 3);
}

TEST(KvCache, GroupsTheRowsOfAStepBySentence) {
  KvCache cache(1, 4);
  begin(cache, {0, 0, 0}, {1, 1, 1});
  begin(cache, {0, 2, 2}, {1, 0, 2});
  EXPECT_THAT(cache.rows()->offsets, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(cache.rows()->sentence, ElementsAre(0, 2, 2));
  EXPECT_THAT(cache.rows()->position, ElementsAre(1, 1, 1));
}

TEST(KvCache, KeepsWhatWasWrittenWhenItGrows) {
  KvCache cache(1, 2);
  for (int step = 0; step < 100; ++step) {
    begin(cache, {0, 1}, {2});
    cache.append(cache.layers[0], Tensor::full({2, 3}, step), Tensor::full({2, 5}, -step));
  }
  const KvCache::Layer& layer = cache.layers[0];
  ASSERT_GE(layer.keys.rows(), 200);
  for (int step = 0; step < 100; ++step) {
    EXPECT_EQ(layer.keys.data<float>()[(step * 2 + 1) * 3], step);
    EXPECT_EQ(layer.values.data<float>()[(step * 2 + 1) * 5], -step);
  }
}

TEST(KvCache, RefusesRowsThatDoNotAddUp) {
  KvCache cache(1, 2);
  EXPECT_THROW(begin(cache, {0, 0}, {1}), ShapeError);
  EXPECT_THROW(begin(cache, {0, 0, 0}, {3}), ShapeError);
}

}  // namespace
}  // namespace weft::nn
