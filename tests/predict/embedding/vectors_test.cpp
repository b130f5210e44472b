// Vectors in fewer bits, and those of a collection that are nearest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/errors.h"
#include "tests/support/scratch.h"
#include "weft/core/error.h"
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
  return vectors.find(std::vector<std::vector<float>>{query}, most).front();
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

TEST(NearestVectors, AreReadFromAnArray) {
  const test::Scratch folder;
  const std::vector<int8_t> numbers = {1, 2, 3, 4, 5, 6};
  formats::NpyWriter writer(folder.path("a.npy"), "|i1", 3);
  writer.write(std::span(numbers));
  writer.commit();
  const NearestVectors vectors = read_vectors(folder.path("a.npy"), 3, "dot");
  EXPECT_EQ(vectors.rows(), 2);
  const std::vector<std::vector<float>> queries = {{1, 0, 1}};
  EXPECT_EQ(vectors.find(queries, 1).front().front().score, 10);
  EXPECT_THAT(test::message_of<FormatError>([&] { read_vectors(folder.path("a.npy"), 4, "dot"); }),
              HasSubstr("vectors of 3 numbers; expected 4, as the model makes them"));
}

}  // namespace
}  // namespace weft::predict
