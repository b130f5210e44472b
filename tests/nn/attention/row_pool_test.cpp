#include "weft/nn/attention/row_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace weft::nn {
namespace {

using testing::ElementsAre;

std::vector<int32_t> take(RowPool& pool, int64_t count) {
  std::vector<int32_t> out;
  pool.take(count, out);
  return out;
}

std::vector<int32_t> rows_from(int32_t first, int64_t count) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(RowPool, GivesTheLowestFreeRows) {
  RowPool pool;
  EXPECT_EQ(take(pool, 5), rows_from(0, 5));
  pool.release(std::vector<int32_t>{3, 1});
  EXPECT_THAT(take(pool, 3), ElementsAre(1, 3, 5));
  EXPECT_EQ(pool.held(), 6);
  EXPECT_EQ(pool.capacity(), RowPool::kPageRows);
}

TEST(RowPool, FreesARowWhenItsLastHolderReleasesIt) {
  RowPool pool;
  const std::vector<int32_t> rows = take(pool, 3);
  pool.hold(std::span(rows).first(2));
  pool.release(rows);
  EXPECT_EQ(pool.held(), 2);
  EXPECT_THAT(take(pool, 1), ElementsAre(2));
  pool.release(std::span(rows).first(2));
  EXPECT_THAT(take(pool, 2), ElementsAre(0, 1));
}

TEST(RowPool, GivesWholePagesToPrompts) {
  constexpr auto kPage = static_cast<int32_t>(RowPool::kPageRows);
  RowPool pool;
  take(pool, 1);
  const std::vector<int32_t> prompt = take(pool, 2 * kPage + 3);
  EXPECT_EQ(std::vector(prompt.begin(), prompt.end() - 3), rows_from(kPage, 2 * kPage));
  EXPECT_THAT(std::vector(prompt.end() - 3, prompt.end()), ElementsAre(1, 2, 3));
  pool.release(std::span(prompt).first(kPage));  // page 1
  EXPECT_EQ(take(pool, kPage), rows_from(kPage, kPage));
  EXPECT_EQ(pool.capacity(), 3 * kPage);
}

}  // namespace
}  // namespace weft::nn
