#include "weft/inspect/positions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/decode/small_session.h"
#include "tests/support/options.h"
#include "weft/data/text/plain_tokeniser.h"

namespace weft::inspect {
namespace {

std::vector<PositionMaps> maps_with(const std::string& flags) {
  models::Seq2SeqOptions options = decode::small_options();  // 40 positions, D 32, 4 heads
  test::set(options, flags);
  return positions_of(decode::small_session(options));
}

float element(const Tensor& x, int64_t row, int64_t column) {
  return x.data<float>()[row * x.cols() + column];
}

TEST(Positions, OfSinusoidsAreTheirEncodings) {
  const std::vector<PositionMaps> found = maps_with("--position sinusoidal");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].stack, "encoder");
  EXPECT_EQ(found[1].stack, "decoder");
  EXPECT_EQ(found[0].kind, "sinusoidal");
  ASSERT_EQ(found[0].encodings.shape(), (Shape{64, 32}));
  const auto row = found[0].encodings.row_range(3, 4).span<float>();
  for (const double frequency : {1.0, std::pow(10000.0, -1.0 / 16)}) {
    const auto is_there = [&](double value) {
      return std::ranges::any_of(row, [&](float x) { return std::abs(x - value) < 1e-6; });
    };
    EXPECT_TRUE(is_there(std::sin(3 * frequency)));
    EXPECT_TRUE(is_there(std::cos(3 * frequency)));
  }
  ASSERT_EQ(found[0].similarity.size(), 1u);
  EXPECT_NEAR(element(found[0].similarity[0], 5, 5), 1, 1e-6);
  EXPECT_NEAR(element(found[0].similarity[0], 5, 9), element(found[0].similarity[0], 20, 24), 1e-5);
}

TEST(Positions, OfLearnedTablesHaveTheirRows) {
  const std::vector<PositionMaps> found = maps_with("--position learned --max-positions 40");
  EXPECT_EQ(found[0].encodings.rows(), 40);
}

// The mean over features of cos(distance * frequency).
TEST(Positions, RotaryDependsOnDistanceAlone) {
  const std::vector<PositionMaps> found = maps_with("--position rotary");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].encodings);
  const Tensor& distance = found[0].similarity.at(0);
  double expected = 0;
  for (int f = 0; f < 4; ++f) expected += std::cos(7 * std::pow(10000.0, -f / 4.0)) / 4;
  EXPECT_NEAR(element(distance, 3, 10), expected, 1e-5);
  EXPECT_NEAR(element(distance, 30, 23), expected, 1e-5);
  EXPECT_NEAR(element(distance, 9, 9), 1, 1e-6);
}

TEST(Positions, AlibiHasASlopeForEachHead) {
  const std::vector<PositionMaps> found = maps_with("--position alibi");
  ASSERT_EQ(found[0].similarity.size(), 4u);
  for (int head = 0; head < 4; ++head) {
    EXPECT_NEAR(element(found[0].similarity[head], 2, 7), -5 * std::pow(2.0, -2 * (head + 1)),
                1e-6);
  }
}

TEST(Positions, OfRelativeTablesAreAddedToScores) {
  models::Seq2SeqOptions options = decode::small_options();
  test::set(options, "--position relative");
  auto session = decode::small_session(options);
  for (const nn::NamedParameter& named : nn::parameters_of(session.model)) {
    if (named.name != "model.encoder.embed_positions.weight") continue;
    // Bucket 3 is that of keys 3 before the query.
    named.parameter->value.data<float>()[3 * 4 + 2] = 0.75F;
  }
  const std::vector<PositionMaps> found = positions_of(session);
  EXPECT_EQ(element(found[0].similarity.at(2), 10, 7), 0.75F);
  EXPECT_EQ(element(found[0].similarity.at(1), 10, 7), 0);
}

TEST(Positions, AreAbsentWhereAModelHasNone) {
  EXPECT_TRUE(maps_with("--position none").empty());
  models::TaggerOptions tagger;
  test::set(tagger, "--dim-emb 16 --type rnn");
  const auto session =
      model_file::new_tagger(tagger,
                             {{data::make_plain_tokeniser(data::Vocabulary({"a"}, "letters")),
                               {data::LabelSet({"N", "V"}, "kinds")}},
                              1,
                              nullptr},
                             5);
  EXPECT_TRUE(positions_of(session).empty());
}

TEST(Positions, OfPicturesAreThoseOfPatches) {
  models::ClassifierOptions o;
  test::set(o, "--input image --patch-size 2 --dim-emb 16 --position sinusoidal-2d");
  const auto session =
      model_file::new_classifier(o,
                                 {.text = {.labels = {data::LabelSet({"x", "y"}, "labels")}},
                                  .image = {.height = 4, .width = 6, .channels = 1},
                                  .statistics = {{0.1}, {0.4}}},
                                 7);
  EXPECT_EQ(positions_of(session).at(0).encodings.shape(), (Shape{6, 16}));
}

}  // namespace
}  // namespace weft::inspect
