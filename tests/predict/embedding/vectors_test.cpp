// Vectors in fewer bits, and those of a collection that are nearest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
#include "weft/core/random.h"
#include "weft/formats/npy.h"
#include "weft/predict/embedding/nearest.h"

namespace weft::predict {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(QuantisedVectors, AreScaledByTheirLargestNumber) {
  EXPECT_THAT(int8_vector(std::vector<float>{0.5F, -0.25F, 0.1F, 0}), ElementsAre(127, -64, 25, 0));
  EXPECT_THAT(int8_vector(std::vector<float>{0, 0}), ElementsAre(0, 0));
  EXPECT_THAT(int8_vector({}), IsEmpty());
}

// As numpy.packbits(vector > 0).
TEST(QuantisedVectors, AreBits) {
  EXPECT_THAT(sign_bits(std::vector<float>{1, -1, 0, 2, -3, 0.1F, -0.1F, 5, 1}),
              ElementsAre(0b10010101, 0b10000000));
}

std::vector<Neighbour> nearest_of(std::string_view similarity, const std::vector<float>& query,
                                  int64_t most) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const NearestVectors vectors({1, 0, 3, 3, nan, 0, -1, 0, 2, 0}, 2, similarity);
  const std::span<const float> queries[] = {query};
  return vectors.find(queries, most).front();
}

TEST(NearestVectors, AreSortedByTheirSimilarity) {
  const auto rows_of = [](std::string_view similarity, std::vector<double>& scores) {
    std::vector<int64_t> rows;
    for (const Neighbour& one : nearest_of(similarity, {2, 0}, 9)) {
      rows.push_back(one.row);
      scores.push_back(one.score);
    }
    return rows;
  };
  std::vector<double> scores;
  EXPECT_THAT(rows_of("cosine", scores), ElementsAre(0, 4, 1, 3));  // the first of equals
  EXPECT_THAT(scores,
              testing::Pointwise(testing::DoubleNear(1e-6), {1.0, 1.0, std::sqrt(0.5), -1.0}));
  scores.clear();
  EXPECT_THAT(rows_of("dot", scores), ElementsAre(1, 4, 0, 3));
  EXPECT_THAT(scores, ElementsAre(6, 4, 2, -2));
  scores.clear();
  EXPECT_THAT(rows_of("euclidean", scores), ElementsAre(4, 0, 3, 1));
  scores.clear();
  EXPECT_THAT(rows_of("manhattan", scores), ElementsAre(4, 0, 3, 1));
  EXPECT_THAT(scores, ElementsAre(0, -1, -3, -4));
  EXPECT_EQ(nearest_of("cosine", {0, 1}, 1).front().row, 1);
}

// Of a collection of several parts, beside a sort of all rows; in any company and with any threads.
TEST(NearestVectors, AreThoseOfTheWholeCollection) {
  constexpr int64_t kRows = 20000, kWidth = 24, kMost = 7;
  RandomStream random(1, 0);
  const auto numbers = [&](int64_t count) {
    std::vector<float> out(static_cast<size_t>(count));
    for (float& x : out) x = static_cast<float>(random.uniform()) - 0.5F;
    return out;
  };
  const std::vector<float> values = numbers(kRows * kWidth), given = numbers(300 * kWidth);
  const NearestVectors vectors(values, kWidth, "dot");
  std::vector<std::span<const float>> queries;
  for (size_t i = 0; i < 300; ++i) {
    queries.push_back(std::span(given).subspan(i * kWidth, kWidth));
  }
  const auto found = vectors.find(queries, kMost);
  for (const size_t i : {0U, 127U, 128U, 299U}) {
    std::vector<std::pair<double, int64_t>> all;
    for (int64_t row = 0; row < kRows; ++row) {
      double score = 0;
      for (int64_t e = 0; e < kWidth; ++e) {
        score += double{queries[i][static_cast<size_t>(e)]} *
                 values[static_cast<size_t>(row * kWidth + e)];
      }
      all.emplace_back(-score, row);
    }
    std::ranges::sort(all);
    ASSERT_EQ(std::ssize(found[i]), kMost);
    const auto alone = vectors.find(std::span(queries).subspan(i, 1), kMost).front();
    for (size_t k = 0; k < kMost; ++k) {
      EXPECT_EQ(found[i][k].row, all[k].second) << i << " " << k;
      EXPECT_NEAR(found[i][k].score, -all[k].first, 1e-5);
      EXPECT_EQ(found[i][k].score, alone[k].score);
      EXPECT_EQ(found[i][k].score, vectors.score(queries[i], found[i][k].row));
    }
  }
}

TEST(NearestVectors, AreReadFromAnArray) {
  const test::Scratch folder;
  const std::vector<int8_t> numbers = {1, 2, 3, 4, 5, 6};
  formats::NpyWriter writer(folder.path("a.npy"), "|i1", 3);
  writer.write(std::span(numbers));
  writer.commit();
  const NearestVectors vectors = read_vectors(folder.path("a.npy"), 3, "dot");
  EXPECT_EQ(vectors.rows(), 2);
  const float query[] = {1, 0, 1};
  const std::span<const float> queries[] = {query};
  EXPECT_EQ(vectors.find(queries, 1).front().front().score, 10);
  EXPECT_THAT(test::message_of<FormatError>([&] { read_vectors(folder.path("a.npy"), 4, "dot"); }),
              HasSubstr("vectors of 3 numbers; expected 4, as the model makes them"));
}

}  // namespace
}  // namespace weft::predict
