#include "weft/models/capacity.h"

#include <gtest/gtest.h>

#include "tests/support/options.h"

namespace weft::models {
namespace {

TEST(Capacity, IsThatOfTheTables) {
  Seq2SeqOptions o;
  o.position.max_positions = 7;
  EXPECT_GT(table_capacity(o, Side::kEncoder), 1000000);
  test::set(o, "--attention linformer --attention-in encoder");
  EXPECT_EQ(table_capacity(o, Side::kEncoder), 7);
  EXPECT_GT(table_capacity(o, Side::kDecoder), 1000000);
  test::set(o, "--attention synthesizer-random --attention-in all");
  EXPECT_EQ(table_capacity(o, Side::kDecoder), 7);
  o = Seq2SeqOptions();
  o.position.max_positions = 7, test::set(o, "--position learned --type cnn");
  EXPECT_EQ(table_capacity(o, Side::kEncoder), 7);
  EXPECT_GT(table_capacity(o, Side::kDecoder), 1000000);
}

TEST(Capacity, HasLongestSides) {
  Seq2SeqOptions o;
  o.position.max_positions = 20, test::set(o, "--position learned");
  EXPECT_EQ(longest_sides(o).source, 19);
  EXPECT_EQ(longest_sides(o).target, 19);
  test::set(o, "--generation ctc --ctc-upsampling 3");
  EXPECT_EQ(longest_sides(o).source, 5);  // and the end symbol: 18 positions
  EXPECT_GT(longest_sides(o).target, 1000000);
  o = Seq2SeqOptions();
  o.position.max_positions = 20, test::set(o, "--attention linformer --attention-in encoder");
  EXPECT_EQ(longest_sides(o).source, 19);
  EXPECT_GT(longest_sides(o).target, 1000000);
}

}  // namespace
}  // namespace weft::models
