#include "weft/nn/attention/kv_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/errors.h"
#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

using testing::ElementsAre;

KvCache small_cache(DType type = DType::kF32) {
  return {std::vector<kernels::AttentionPattern>(1), type};
}

void add(KvCache& cache, std::vector<int32_t> slots, std::vector<int32_t> offsets) {
  cache.add_sequences(slots, {std::move(offsets)});
}

void prompt(KvCache& cache, std::vector<int32_t> slots, std::vector<int32_t> offsets) {
  cache.begin_prompt(slots, {std::move(offsets)});
}

void step(KvCache& cache, std::vector<int32_t> parents, std::vector<int32_t> counts) {
  cache.begin_step(parents, counts);
}

std::vector<int32_t> attended(const RowLists& rows, size_t n) {
  return {rows[n].begin(), rows[n].end()};
}

TEST(KvCache, FollowsEveryHypothesisBackThroughItsParents) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  step(cache, {-1, -1}, {1, 1});
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(1));
  step(cache, {0, 0, 0}, {2, 1});
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0, 2));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 3));
  EXPECT_THAT(attended(cache.self(0), 2), ElementsAre(1, 4));
  step(cache, {1, 0, 0}, {2, 1});
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0, 3, 5));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 2, 6));
  EXPECT_THAT(attended(cache.self(0), 2), ElementsAre(1, 4, 7));
}

TEST(KvCache, KeepsRowsInF64OnlyOfAModelInF64) {
  for (const auto& [rows, type] :
       {std::pair(DType::kF64, DType::kF32), std::pair(DType::kF64, DType::kI8),
        std::pair(DType::kF32, DType::kF64)}) {
    KvCache cache = small_cache(type);
    add(cache, {0}, {0, 1});
    step(cache, {-1}, {1});
    const Tensor x = Tensor::zeros({1, 4}, rows);
    EXPECT_THROW(cache.write_self(0, x, x, 1), ShapeError);
    EXPECT_THROW(cache.write_memory(0, x, x, 1), ShapeError);
  }
}

TEST(KvCache, GroupsTheRowsOfAStepBySlotAndCountsTheirSteps) {
  KvCache cache = small_cache();
  add(cache, {0, 2}, {0, 1, 2});
  step(cache, {-1, -1}, {1, 0, 1});
  add(cache, {1}, {0, 4});
  step(cache, {0, -1, 0, 0}, {1, 1, 2});
  EXPECT_THAT(cache.rows()->segments.offsets, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(cache.rows()->sequence, ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(cache.rows()->position, ElementsAre(1, 0, 1, 1));
}

TEST(KvCache, ShowsEveryRowTheSourceOfItsSequence) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 3, 5});
  step(cache, {-1, -1}, {1, 1});
  step(cache, {0, 0, 0}, {2, 1});
  EXPECT_THAT(attended(cache.memory(), 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(attended(cache.memory(), 2), ElementsAre(3, 4));
  prompt(cache, {1}, {0, 2});
  EXPECT_THAT(attended(cache.memory(), 1), ElementsAre(3, 4));
  cache.begin_memory_pass(std::vector<int32_t>{0, 3});
  ASSERT_EQ(cache.memory().size(), 3u);
  EXPECT_THAT(attended(cache.memory(), 2), ElementsAre(3, 4));
}

TEST(KvCache, GivesTheRowsOfAReleasedSequenceToTheNext) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 2, 4});
  step(cache, {-1, -1}, {1, 1});
  cache.release(std::vector<int32_t>{0});
  EXPECT_EQ(cache.held_rows(0), 1);
  add(cache, {2}, {0, 2});
  step(cache, {0, -1}, {0, 1, 1});
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(1, 0));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(2));
  EXPECT_THAT(attended(cache.memory(), 1), ElementsAre(0, 1));
  add(cache, {1}, {0, 1});  // in place of the one before
  step(cache, {-1, 0}, {0, 1, 1});
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0));
  EXPECT_EQ(cache.memory()[0].size(), 1u);
}

TEST(KvCache, FreesRowsThatNoHypothesisAttendsTo) {
  KvCache cache = small_cache();
  add(cache, {0}, {0, 1});
  step(cache, {-1}, {1});
  step(cache, {0, 0, 0}, {3});  // rows 1 to 3
  step(cache, {1, 1}, {2});     // of these only row 2 goes on
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 2, 5));
  EXPECT_EQ(cache.held_rows(0), 4);
  step(cache, {1, 1}, {2});
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0, 2, 5, 1));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 2, 5, 3));
}

TEST(KvCache, TakesPromptsInPartsBeforeTheFirstStep) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  prompt(cache, {1, 0}, {0, 2, 5});
  EXPECT_THAT(cache.rows()->sequence, ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(cache.rows()->position, ElementsAre(0, 1, 0, 1, 2));
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 1));
  EXPECT_THAT(attended(cache.self(0), 3), ElementsAre(2, 3));
  prompt(cache, {1}, {0, 2});
  EXPECT_THAT(cache.rows()->position, ElementsAre(2, 3));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 1, 5, 6));
  EXPECT_EQ(cache.self(0)[0].data(), cache.self(0)[1].data());  // one list
  EXPECT_EQ(cache.prompt_rows(1), 4);
  step(cache, {-1, -1, -1}, {1, 2});
  EXPECT_THAT(cache.rows()->position, ElementsAre(3, 4, 4));
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(2, 3, 4, 7));
  EXPECT_THAT(attended(cache.self(0), 2), ElementsAre(0, 1, 5, 6, 9));
}

TEST(KvCache, SharesTheBeginningOfAPrompt) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  prompt(cache, {0}, {0, 4});
  EXPECT_EQ(cache.share_prompt(0, 1, 3), 3);
  EXPECT_EQ(cache.share_prompt(0, 1, 3), 0);  // it has a prompt
  EXPECT_EQ(cache.held_rows(0), 4);
  prompt(cache, {1}, {0, 1});
  EXPECT_THAT(cache.rows()->position, ElementsAre(3));
  EXPECT_THAT(attended(cache.self(0), 0), ElementsAre(0, 1, 2, 4));
  cache.release(std::vector<int32_t>{0});
  EXPECT_EQ(cache.held_rows(0), 4);  // row 3 is free
  add(cache, {0}, {0, 1});
  prompt(cache, {0}, {0, 2});
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(3, 5));
  cache.release(std::vector<int32_t>{0, 1});
  EXPECT_EQ(cache.held_rows(0), 0);
}

TEST(KvCache, DropsTheLastRowsOfAPrompt) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  prompt(cache, {0}, {0, 4});
  EXPECT_EQ(cache.share_prompt(0, 1, 3), 3);
  cache.write_self(0, Tensor::full({4, 1}, 7), Tensor::full({4, 1}, 7), 1);
  cache.drop_rows(0, 0);
  cache.drop_rows(0, 2);  // the other prompt keeps row 2
  EXPECT_EQ(cache.prompt_rows(0), 2);
  EXPECT_EQ(cache.held_rows(0), 3);
  prompt(cache, {0, 1}, {0, 2, 3});
  EXPECT_THAT(cache.rows()->position, ElementsAre(2, 3, 3));
  EXPECT_THAT(attended(cache.self(0), 1), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(attended(cache.self(0), 2), ElementsAre(0, 1, 2, 5));
  cache.write_self(0, Tensor::full({3, 1}, 8), Tensor::full({3, 1}, 8), 1);
  EXPECT_EQ(*cache.layer(0).self.keys.rows().row<float>(2), 7);
  cache.drop_rows(1, 4);
  EXPECT_EQ(cache.held_rows(0), 4);
  EXPECT_EQ(test::message_of<ShapeError>([&] { cache.drop_rows(0, 5); }),
            "kv cache: 5 rows of slot 0 are dropped; expected 0 to 4");
}

TEST(KvCache, DropsNoRowsWhereLayersKeepStates) {
  KvCache cache = small_cache();
  add(cache, {0}, {0, 1});
  prompt(cache, {0}, {0, 2});
  cache.keep_state(0, Tensor::full({1, 3}, 1));
  EXPECT_EQ(test::message_of<ShapeError>([&] { cache.drop_rows(0, 1); }),
            "kv cache: 1 rows of slot 0 are dropped; expected 0 to 0");
}

TEST(KvCache, SharesNoMoreThanThereIs) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  prompt(cache, {0}, {0, 2});
  EXPECT_EQ(cache.share_prompt(0, 1, 9), 2);
}

TEST(KvCache, ParksASequenceThatHasNoRowsInAStep) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  step(cache, {-1, -1}, {1, 1});
  step(cache, {0, 0}, {0, 2});
  step(cache, {1}, {0, 1});
  step(cache, {0, 0}, {1, 1});
  EXPECT_THAT(cache.rows()->position, ElementsAre(1, 3));
  EXPECT_EQ(attended(cache.self(0), 0).front(), 0);
}

TEST(KvCache, KeepsWhatWasWrittenWhenItGrows) {
  KvCache cache = small_cache();
  add(cache, {0}, {0, 1});
  std::vector<int32_t> parents{-1};
  for (int n = 0; n < 400; ++n) {
    step(cache, parents, {static_cast<int32_t>(parents.size())});
    const auto width = std::ssize(parents);
    cache.write_self(0, Tensor::full({width, 3}, n), Tensor::full({width, 5}, -n), 1);
    parents = {0, 0};
  }
  const KvRows& rows = cache.layer(0).self;
  const auto path = cache.self(0)[1];
  ASSERT_EQ(path.size(), 400u);
  for (int n = 0; n < 400; ++n) {
    EXPECT_EQ(*rows.keys.rows().row<float>(path[n]), n);
    EXPECT_EQ(*rows.values.rows().row<float>(path[n]), -n);
  }
}

TEST(KvCache, KeepsTheMemoryOfSequencesWhenItGrows) {
  KvCache cache = small_cache();
  for (int32_t s = 0; s < 9; ++s) {
    add(cache, {s}, {0, 50});
    cache.write_memory(0, Tensor::full({50, 3}, s), Tensor::full({50, 3}, -s), 1);
  }
  step(cache, std::vector<int32_t>(9, -1), std::vector<int32_t>(9, 1));
  const kernels::PagedRows keys = cache.layer(0).memory.keys.rows();
  for (size_t s = 0; s < 9; ++s) {
    for (const int32_t row : cache.memory()[s]) EXPECT_EQ(*keys.row<float>(row), s);
  }
}

TEST(KvCache, RoundsToItsOwnType) {
  KvCache cache = small_cache(DType::kBF16);
  add(cache, {0}, {0, 1});
  step(cache, {-1}, {1});
  cache.write_self(0, Tensor::full({1, 4}, 1.001), Tensor::full({1, 4}, 3), 1);
  EXPECT_EQ(static_cast<float>(*cache.layer(0).self.keys.rows().row<BF16>(0)), 1.0f);
  EXPECT_EQ(static_cast<float>(cache.layer(0).self.values.rows().row<BF16>(0)[3]), 3.0f);
}

TEST(KvCache, RoundsToInt8WithAScaleForEachHead) {
  KvCache cache = small_cache(DType::kI8);
  add(cache, {0}, {0, 1});
  step(cache, {-1}, {1});
  const Tensor x = Tensor::from(std::vector<float>{1, -2, 0.5f, 127, 0, 64}, {1, 6});
  cache.write_self(0, x, x, 2);
  const auto* row = cache.layer(0).self.keys.rows().row<int8_t>(0);
  EXPECT_THAT(std::vector(row, row + 6), ElementsAre(64, -127, 32, 127, 0, 64));
  EXPECT_FLOAT_EQ(kernels::PagedRows::scale_of(row, 6, 0), 2.0f / 127);
  EXPECT_FLOAT_EQ(kernels::PagedRows::scale_of(row, 6, 1), 1);
}

TEST(KvCache, KeepsTheClustersOfRowsFromStepToStep) {
  KvCache cache = small_cache();
  add(cache, {0, 1}, {0, 1, 2});
  step(cache, {-1, -1}, {1, 1});
  cache.write_clusters(0, std::vector<int32_t>{1, 2, 3, 4}, 2);
  step(cache, {0, 0}, {1, 1});
  cache.write_clusters(0, std::vector<int32_t>{5, 6, 7, 8}, 2);
  EXPECT_THAT(cache.clusters_of(0, 1), ElementsAre(3, 4));
  EXPECT_THAT(cache.clusters_of(0, attended(cache.self(0), 1).back()), ElementsAre(7, 8));
  EXPECT_THROW(cache.write_clusters(0, std::vector<int32_t>{1, 2, 3}, 2), ShapeError);
}

TEST(KvCache, RefusesRowsThatDoNotAddUp) {
  KvCache cache = small_cache();
  add(cache, {0}, {0, 1});
  EXPECT_THROW(step(cache, {-1, -1}, {1, 0}), ShapeError);
  EXPECT_THROW(step(cache, {-1}, {0, 1}), ShapeError);  // slot 1 has no sequence
  EXPECT_THROW(step(cache, {-1}, {2, 0}), ShapeError);
  EXPECT_THROW(step(cache, {0}, {1}), ShapeError);  // a hypothesis that is not there
  EXPECT_THROW(prompt(cache, {1}, {0, 2}), ShapeError);
}

}  // namespace
}  // namespace weft::nn
