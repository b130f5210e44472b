#include "weft/core/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

// kat_vectors of Random123, the authors' implementation.
TEST(Philox, MatchesThePublishedKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, IsAFunctionOfSeedAndStream) {
  RandomStream a(7, 1), again(7, 1), other_seed(8, 1), other_stream(7, 2);
  std::vector<uint32_t> x, y, z, w;
  for (int i = 0; i < 9; ++i) {
    x.push_back(a.next_u32());
    y.push_back(again.next_u32());
    z.push_back(other_seed.next_u32());
    w.push_back(other_stream.next_u32());
  }
  EXPECT_EQ(x, y);
  EXPECT_NE(x, z);
  EXPECT_NE(x, w);
}

TEST(RandomStream, UniformHasTheMeanAndVarianceOfTheUnitInterval) {
  RandomStream random(1, 0);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.005);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 0.005);
}

TEST(RandomStream, NormalHasMeanZeroAndVarianceOne) {
  RandomStream random(2, 0);
  double sum = 0, squares = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.02);
  EXPECT_NEAR(squares / kDraws, 1, 0.03);
}

TEST(RandomStream, BelowCoversItsRange) {
  RandomStream random(3, 0);
  std::vector<int> count(7);
  for (int i = 0; i < 7000; ++i) {
    const uint64_t x = random.below(7);
    ASSERT_LT(x, 7u);
    ++count[x];
  }
  for (const int n : count) EXPECT_NEAR(n, 1000, 150);
}

}  // namespace
}  // namespace weft
