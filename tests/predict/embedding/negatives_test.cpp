#include "weft/predict/embedding/negatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

namespace weft::predict {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kAlongX[] = {1, 0}, kNowhere[] = {kNaN, 0}, kZero[] = {0};

using testing::ElementsAre;
using testing::IsEmpty;

// Unit vectors at these angles, in degrees.
NearestVectors at_angles(const std::vector<double>& angles) {
  std::vector<float> values;
  for (const double angle : angles) {
    values.push_back(static_cast<float>(std::cos(angle * M_PI / 180)));
    values.push_back(static_cast<float>(std::sin(angle * M_PI / 180)));
  }
  return {values, 2, "cosine"};
}

std::vector<int64_t> negatives_of(const NegativeQuery& query, const NegativeOptions& options) {
  static const NearestVectors collection = at_angles({20, 50, 10, 40, 25, 30});
  return hard_negatives(collection, std::span(&query, 1), options).front();
}

TEST(HardNegatives, AreTheNearestThatAreFartherThanTheOwnText) {
  // cos 25 = 0.906; less a twentieth 0.861, cos 30.6.
  const NegativeQuery query{.vector = kAlongX, .positive = 4, .excluded = {}};
  EXPECT_THAT(negatives_of(query, {.negatives = 2}), ElementsAre(3, 1));
  EXPECT_THAT(negatives_of(query, {.negatives = 2, .margin = 0}), ElementsAre(5, 3));
  EXPECT_THAT(negatives_of(query, {.negatives = 5, .margin = std::nullopt}),
              ElementsAre(2, 0, 5, 3, 1));
  EXPECT_THAT(negatives_of(query, {.negatives = 3, .skip = 2, .margin = std::nullopt}),
              ElementsAre(5, 3, 1));
  EXPECT_THAT(negatives_of(query, {.negatives = 1, .skip = 4}), ElementsAre(1));
}

TEST(HardNegatives, DoNotBelongToTheQuery) {
  const int64_t excluded[] = {0, 2, 5};
  const NegativeQuery query{.vector = kAlongX, .positive = 2, .excluded = excluded};
  EXPECT_THAT(negatives_of(query, {.negatives = 1}), ElementsAre(4));
  EXPECT_THAT(negatives_of(query, {.negatives = 3}), ElementsAre(4, 3, 1));
}

TEST(HardNegatives, AreNoneWhereThereAreFewer) {
  const NegativeQuery query{.vector = kAlongX, .positive = 4, .excluded = {}};
  EXPECT_THAT(negatives_of(query, {.negatives = 3}), IsEmpty());
  EXPECT_THAT(negatives_of(query, {.negatives = 1, .skip = 5}), IsEmpty());
}

TEST(HardNegatives, AreNoneOfVectorsThatAreNotFinite) {
  EXPECT_THAT(negatives_of({.vector = kNowhere, .positive = 4, .excluded = {}}, {}), IsEmpty());
  const NearestVectors collection({kNaN, 0, 1, 0, 1, 1}, 2, "cosine");
  const NegativeQuery queries[] = {{.vector = kAlongX, .positive = 0, .excluded = {}},
                                   {.vector = kAlongX, .positive = 1, .excluded = {}}};
  EXPECT_THAT(hard_negatives(collection, queries, {}), ElementsAre(IsEmpty(), ElementsAre(2)));
}

// Of distances, which are negative similarities: of 2, at least 2.1.
TEST(HardNegatives, KeepTheMarginOfDistances) {
  const NearestVectors collection({2, 2.05F, 2.2F, 3}, 1, "euclidean");
  const NegativeQuery query{.vector = kZero, .positive = 0, .excluded = {}};
  EXPECT_THAT(hard_negatives(collection, std::span(&query, 1), {.negatives = 2}).front(),
              ElementsAre(2, 3));
}

// Of a pair without similarity, too.
TEST(HardNegatives, HaveNoBoundWithoutAMargin) {
  const NearestVectors collection = at_angles({91, 10, 20});
  const NegativeQuery query{.vector = kAlongX, .positive = 0, .excluded = {}};
  const auto found = [&](const NegativeOptions& options) {
    return hard_negatives(collection, std::span(&query, 1), options).front();
  };
  EXPECT_THAT(found({}), IsEmpty());
  EXPECT_THAT(found({.negatives = 2, .margin = std::nullopt}), ElementsAre(1, 2));
}

// --skip counts texts that are too near as well.
TEST(HardNegatives, PassOverTheNearest) {
  const NegativeQuery query{.vector = kAlongX, .positive = 4, .excluded = {}};  // at 25 degrees
  const auto found = [&](int64_t skip) {
    return negatives_of(query, {.negatives = 1, .skip = skip});
  };
  for (const int64_t skip : {0, 1, 2, 3}) EXPECT_THAT(found(skip), ElementsAre(3)) << skip;
  EXPECT_THAT(found(4), ElementsAre(1));
  EXPECT_THAT(found(5), IsEmpty());
}

// Many texts belong to the query, and others are too near.
TEST(HardNegatives, AreLookedForInTheWholeCollection) {
  std::vector<double> angles = {40};
  for (int i = 0; i < 300; ++i) angles.push_back(i / 10.0);
  angles.insert(angles.end(), {60, 70});
  std::vector<int64_t> excluded;
  for (int64_t row = 0; row < 200; ++row) excluded.push_back(row);
  const NegativeQuery query{.vector = kAlongX, .positive = 0, .excluded = excluded};
  const auto found = hard_negatives(at_angles(angles), std::span(&query, 1), {.negatives = 2});
  EXPECT_THAT(found.front(), ElementsAre(301, 302));
}

}  // namespace
}  // namespace weft::predict
