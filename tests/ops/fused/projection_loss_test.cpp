#include "weft/ops/fused/projection_loss.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/gradients.h"
#include "tests/support/tensors.h"
#include "weft/ops/fused/chunked_projection.h"

namespace weft::ops {
namespace {

using weft::test::random_tensor;
using weft::test::values;

constexpr int64_t kManyRows = 1030;  // more than two chunks

Ids targets() {
  std::vector<int32_t> ids(kManyRows);
  for (size_t n = 0; n < ids.size(); ++n) ids[n] = static_cast<int32_t>(n % 5);
  return make_ids(ids);
}

TEST(ProjectionLosses, AreTheLossesOfEachRow) {
  const Tensor x = random_tensor({kManyRows, 3}, 1), weight = random_tensor({5, 3}, 2),
               bias = random_tensor({1, 5}, 3);
  for (const double smoothing : {0.0, 0.1}) {
    const TokenLosses all = projection_losses(x, {weight, bias}, targets(), smoothing);
    ASSERT_EQ(all.total.size(), static_cast<size_t>(kManyRows));
    ASSERT_EQ(all.nll.size(), static_cast<size_t>(kManyRows));
    for (int64_t n = 0; n < kManyRows; n += 103) {
      const Loss one =
          projection_loss(x.row_range(n, n + 1), {weight, bias},
                          make_ids({static_cast<int32_t>(n % 5)}), {smoothing, 1}, nullptr);
      EXPECT_NEAR(all.total[static_cast<size_t>(n)], one.total, 1e-14);
      EXPECT_NEAR(all.nll[static_cast<size_t>(n)], one.nll, 1e-14);
    }
  }
}

TEST(ProjectionLosses, RefuseWhatDoesNotFit) {
  const Tensor x = random_tensor({kManyRows, 3}, 1), weight = random_tensor({5, 3}, 2), none;
  const Tensor narrow = random_tensor({5, 2}, 2), bias = random_tensor({1, 4}, 3);
  EXPECT_THROW(projection_losses(x, {narrow, none}, targets()), ShapeError);
  EXPECT_THROW(projection_losses(x, {weight, bias}, targets()), ShapeError);
  EXPECT_THROW(projection_losses(x, {weight, none}, make_ids({0})), ShapeError);
}

TEST(ProjectionLoss, SumsTheLossesOfItsRows) {
  const Tensor x = random_tensor({kManyRows, 3}, 1), weight = random_tensor({5, 3}, 2), none;
  const TokenLosses all = projection_losses(x, {weight, none}, targets(), 0.1);
  const Loss loss = projection_loss(x, {weight, none}, targets(), {0.1, 0.25}, nullptr);
  EXPECT_NEAR(loss.nll, std::accumulate(all.nll.begin(), all.nll.end(), 0.0), 1e-10);
  EXPECT_NEAR(loss.total, std::accumulate(all.total.begin(), all.total.end(), 0.0), 1e-10);
  EXPECT_NEAR(loss.value.item(), loss.total / 4, 1e-10);
}

TEST(ProjectionLoss, OfNoRowsIsNothing) {
  const auto loss = [](const std::vector<Tensor>& in, Tape* tape) {
    return projection_loss(in[0], {in[1], in[2]}, make_ids({}), {0.1, 1}, tape).value;
  };
  const auto found =
      weft::test::evaluate(loss, weft::test::random_inputs({{0, 3}, {5, 3}, {1, 5}}));
  EXPECT_EQ(found.y.item(), 0);
  for (const Tensor& gradient : found.gradients) {
    for (const double d : values(gradient)) EXPECT_EQ(d, 0);
  }
}

TEST(ChunkRows, AreFewerForLargeVocabularies) {
  EXPECT_EQ(chunk_rows(1), 512);
  EXPECT_EQ(chunk_rows(49152), 512);
  EXPECT_EQ(chunk_rows(65536), 512);
  EXPECT_EQ(chunk_rows(65537), 448);
  EXPECT_EQ(chunk_rows(262144), 128);
  EXPECT_EQ(chunk_rows(10'000'000), 64);
}

TEST(ChunkedProjection, HasChunksOfChunkRows) {
  const Tensor x = random_tensor({150, 1}, 1), weight = random_tensor({300'000, 1}, 2), none;
  std::vector<std::pair<int64_t, int64_t>> chunks;
  ChunkedProjection("loss", x, {weight, none}).for_chunks(150, [&](int64_t begin, int64_t end) {
    chunks.emplace_back(begin, end);
  });
  EXPECT_EQ(chunks, (std::vector<std::pair<int64_t, int64_t>>{{0, 64}, {64, 128}, {128, 150}}));
}

TEST(ProjectionLoss, OfALargeVocabularyIsItsComposite) {
  const std::vector<Tensor> in = weft::test::random_inputs({{3, 2}, {100'000, 2}, {1, 100'000}});
  const Ids ids = make_ids({0, 49'999, 99'999});
  const auto run = [&](auto loss) {
    return weft::test::evaluate(
        [&](const std::vector<Tensor>& x, Tape* tape) {
          return loss(x[0], OutputLayer{x[1], x[2]}, ids, CrossEntropy{.smoothing = 0.1}, tape)
              .value;
        },
        in);
  };
  EXPECT_LT(weft::test::distance(run(projection_loss), run(projection_loss_composite)), 1e-12);
}

}  // namespace
}  // namespace weft::ops
