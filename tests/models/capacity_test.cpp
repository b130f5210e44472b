#include "weft/models/capacity.h"

#include <gtest/gtest.h>

namespace weft::models {
namespace {

TEST(Capacity, IsThatOfTheTables) {
  Seq2SeqOptions o;
  o.max_positions = 7;
  EXPECT_GT(table_capacity(o, Side::kEncoder), 1000000);
  o.attention = "linformer", o.attention_in = "encoder";
  EXPECT_EQ(table_capacity(o, Side::kEncoder), 7);
  EXPECT_GT(table_capacity(o, Side::kDecoder), 1000000);
  o.attention = "synthesizer-random", o.attention_in = "all";
  EXPECT_EQ(table_capacity(o, Side::kDecoder), 7);
  o = Seq2SeqOptions();
  o.max_positions = 7, o.position = "learned", o.type = "cnn";
  EXPECT_EQ(table_capacity(o, Side::kEncoder), 7);
  EXPECT_GT(table_capacity(o, Side::kDecoder), 1000000);
}

TEST(Capacity, HasLongestSides) {
  Seq2SeqOptions o;
  o.max_positions = 20, o.position = "learned";
  EXPECT_EQ(longest_sides(o).source, 19);
  EXPECT_EQ(longest_sides(o).target, 19);
  o.generation = "ctc", o.ctc_upsampling = 3;
  EXPECT_EQ(longest_sides(o).source, 5);  // and the end symbol: 18 positions
  EXPECT_GT(longest_sides(o).target, 1000000);
  o = Seq2SeqOptions();
  o.max_positions = 20, o.attention = "linformer", o.attention_in = "encoder";
  EXPECT_EQ(longest_sides(o).source, 19);
  EXPECT_GT(longest_sides(o).target, 1000000);
}

}  // namespace
}  // namespace weft::models
