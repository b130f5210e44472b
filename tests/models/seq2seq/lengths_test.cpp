#include <gtest/gtest.h>

#include "tests/support/options.h"
#include "weft/models/seq2seq/seq2seq_options.h"

namespace weft::models {
namespace {

TEST(Capacity, IsThatOfTheTables) {
  Seq2SeqOptions o;
  o.encoder.position.max_positions = 7;
  EXPECT_GT(o.encoder_capacity(), 1000000);
  test::set(o, "--attention linformer --attention-in encoder");
  EXPECT_EQ(o.encoder_capacity(), 7);
  EXPECT_GT(o.target_capacity(), 1000000);
  test::set(o, "--attention synthesizer-random --attention-in all");
  EXPECT_EQ(o.target_capacity(), 7);
  o = Seq2SeqOptions();
  o.encoder.position.max_positions = 7, test::set(o, "--position learned --type cnn");
  EXPECT_EQ(o.encoder_capacity(), 7);
  EXPECT_GT(o.target_capacity(), 1000000);
}

TEST(Capacity, HasLongestPairs) {
  Seq2SeqOptions o;
  o.encoder.position.max_positions = 20, test::set(o, "--position learned");
  EXPECT_EQ(o.longest_pair().source, 19);
  EXPECT_EQ(o.longest_pair().target, 19);
  test::set(o, "--generation ctc --ctc-upsampling 3");
  EXPECT_EQ(o.longest_pair().source, 5);  // and the end symbol: 18 positions
  EXPECT_GT(o.longest_pair().target, 1000000);
  o = Seq2SeqOptions();
  o.encoder.position.max_positions = 20,
  test::set(o, "--attention linformer --attention-in encoder");
  EXPECT_EQ(o.longest_pair().source, 19);
  EXPECT_GT(o.longest_pair().target, 1000000);
}

}  // namespace
}  // namespace weft::models
