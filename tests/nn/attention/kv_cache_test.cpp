#include "weft/nn/attention/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace weft::nn {
namespace {

using testing::ElementsAre;

KvCache cache_of(int64_t places) { return {1, places, DType::kF32}; }

void enter(KvCache& cache, std::vector<int32_t> places, std::vector<int32_t> offsets) {
  cache.enter(places, {std::move(offsets)});
}

void begin(KvCache& cache, std::vector<int32_t> parents, std::vector<int32_t> counts) {
  cache.begin_step(parents, counts);
}

std::vector<int32_t> attended(const AttendedRows& rows, int64_t w) {
  const auto of_row = rows.of(w);
  return {of_row.begin(), of_row.end()};
}

TEST(KvCache, FollowsEveryHypothesisBackThroughItsParents) {
  KvCache cache = cache_of(2);
  enter(cache, {0, 1}, {0, 1, 2});
  begin(cache, {-1, -1}, {1, 1});
  EXPECT_THAT(attended(cache.self(), 0), ElementsAre(0));
  EXPECT_THAT(attended(cache.self(), 1), ElementsAre(1));
  begin(cache, {0, 0, 1}, {2, 1});
  EXPECT_THAT(attended(cache.self(), 0), ElementsAre(0, 2));
  EXPECT_THAT(attended(cache.self(), 1), ElementsAre(0, 3));
  EXPECT_THAT(attended(cache.self(), 2), ElementsAre(1, 4));
  begin(cache, {1, 0, 2}, {2, 1});
  EXPECT_THAT(attended(cache.self(), 0), ElementsAre(0, 3, 5));
  EXPECT_THAT(attended(cache.self(), 1), ElementsAre(0, 2, 6));
  EXPECT_THAT(attended(cache.self(), 2), ElementsAre(1, 4, 7));
}

TEST(KvCache, GroupsTheRowsOfAStepByPlaceAndCountsTheirSteps) {
  KvCache cache = cache_of(3);
  enter(cache, {0, 2}, {0, 1, 2});
  begin(cache, {-1, -1}, {1, 0, 1});
  enter(cache, {1}, {0, 4});
  begin(cache, {0, -1, 1, 1}, {1, 1, 2});
  EXPECT_THAT(cache.rows()->segments.offsets, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(cache.rows()->sentence, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(cache.rows()->position, ElementsAre(1, 0, 1, 1));
}

TEST(KvCache, ShowsEveryHypothesisTheSourceOfItsSentence) {
  KvCache cache = cache_of(2);
  enter(cache, {0, 1}, {0, 3, 5});
  begin(cache, {-1, -1}, {1, 1});
  begin(cache, {0, 0, 1}, {2, 1});
  EXPECT_THAT(attended(cache.memory(), 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(attended(cache.memory(), 2), ElementsAre(3, 4));
}

TEST(KvCache, GivesRowsOfASentenceThatLeavesToOneThatEnters) {
  KvCache cache = cache_of(2);
  enter(cache, {0, 1}, {0, 2, 4});
  begin(cache, {-1, -1}, {1, 1});
  begin(cache, {1}, {0, 1});  // place 0 is free again
  enter(cache, {0}, {0, 2});
  begin(cache, {-1, 0}, {1, 1});
  EXPECT_EQ(cache.rows()->position[0], 0);
  EXPECT_THAT(attended(cache.self(), 0), ElementsAre(2));
  EXPECT_THAT(attended(cache.self(), 1), ElementsAre(1, 0, 3));
  auto source = attended(cache.memory(), 0);
  std::ranges::sort(source);
  EXPECT_THAT(source, ElementsAre(0, 1));
}

TEST(KvCache, ReleasesTheRowsOfASentenceAtOnce) {
  KvCache cache = cache_of(3);
  enter(cache, {0, 1}, {0, 2, 4});
  begin(cache, {-1, -1}, {1, 1});
  cache.release(std::vector<int32_t>{0});
  enter(cache, {2}, {0, 2});
  begin(cache, {1, -1}, {0, 1, 1});
  EXPECT_THAT(attended(cache.self(), 0), ElementsAre(1, 0));
  EXPECT_THAT(attended(cache.self(), 1), ElementsAre(2));
  auto source = attended(cache.memory(), 1);
  std::ranges::sort(source);
  EXPECT_THAT(source, ElementsAre(0, 1));
}

TEST(KvCache, FreesRowsThatNoHypothesisAttendsTo) {
  KvCache cache = cache_of(1);
  enter(cache, {0}, {0, 1});
  begin(cache, {-1}, {1});
  begin(cache, {0, 0, 0}, {3});  // rows 1 to 3
  begin(cache, {1, 1}, {2});     // of these only row 2 goes on
  EXPECT_THAT(attended(cache.self(), 1), ElementsAre(0, 2, 5));
  begin(cache, {1, 1}, {2});
  const auto last = [&](int64_t w) { return cache.self().of(w).back(); };
  EXPECT_THAT((std::vector{last(0), last(1)}), testing::UnorderedElementsAre(1, 3));
  EXPECT_THAT(cache.self().of(0).first(3), ElementsAre(0, 2, 5));
}

TEST(KvCache, LetsASentenceTakeThePlaceOfOneThatIsOver) {
  KvCache cache = cache_of(1);
  enter(cache, {0}, {0, 3});
  begin(cache, {-1}, {1});
  enter(cache, {0}, {0, 2});
  begin(cache, {-1}, {1});
  EXPECT_THAT(attended(cache.self(), 0), ElementsAre(0));
  EXPECT_EQ(cache.memory().of(0).size(), 2u);
}

TEST(KvCache, KeepsWhatWasWrittenWhenItGrows) {
  KvCache cache = cache_of(1);
  enter(cache, {0}, {0, 1});
  std::vector<int32_t> parents{-1};
  for (int step = 0; step < 400; ++step) {
    begin(cache, parents, {static_cast<int32_t>(parents.size())});
    const auto width = std::ssize(parents);
    cache.write_self(0, Tensor::full({width, 3}, step), Tensor::full({width, 5}, -step));
    parents = {0, 0};
  }
  const KvRows& rows = cache.layer(0).self;
  const auto path = cache.self().of(1);
  ASSERT_EQ(path.size(), 400u);
  for (int step = 0; step < 400; ++step) {
    EXPECT_EQ(rows.keys.data<float>()[path[step] * 3], step);
    EXPECT_EQ(rows.values.data<float>()[path[step] * 5], -step);
  }
}

TEST(KvCache, RoundsToItsOwnType) {
  KvCache cache(1, 1, DType::kBF16);
  enter(cache, {0}, {0, 1});
  begin(cache, {-1}, {1});
  cache.write_self(0, Tensor::full({1, 4}, 1.001), Tensor::full({1, 4}, 3));
  EXPECT_EQ(static_cast<float>(cache.layer(0).self.keys.data<BF16>()[0]), 1.0f);
  EXPECT_EQ(static_cast<float>(cache.layer(0).self.values.data<BF16>()[3]), 3.0f);
}

TEST(KvCache, KeepsTheClustersOfRowsFromStepToStep) {
  KvCache cache = cache_of(2);
  enter(cache, {0, 1}, {0, 1, 2});
  begin(cache, {-1, -1}, {1, 1});
  cache.write_clusters(0, std::vector<int32_t>{1, 2, 3, 4}, 2);
  begin(cache, {1, 0}, {1, 1});
  cache.write_clusters(0, std::vector<int32_t>{5, 6, 7, 8}, 2);
  EXPECT_THAT(cache.clusters_of(0, 1), ElementsAre(3, 4));
  EXPECT_THAT(cache.clusters_of(0, attended(cache.self(), 1).back()), ElementsAre(7, 8));
  EXPECT_THROW(cache.write_clusters(0, std::vector<int32_t>{1, 2, 3}, 2), ShapeError);
}

TEST(KvCache, RefusesRowsThatDoNotAddUp) {
  KvCache cache = cache_of(2);
  enter(cache, {0}, {0, 1});
  EXPECT_THROW(begin(cache, {-1, -1}, {1, 0}), ShapeError);
  EXPECT_THROW(begin(cache, {-1}, {0, 1}), ShapeError);  // nobody entered place 1
  EXPECT_THROW(begin(cache, {-1}, {2, 0}), ShapeError);
}

}  // namespace
}  // namespace weft::nn
