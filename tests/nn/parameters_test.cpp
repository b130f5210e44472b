#include "weft/nn/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tensors.h"

namespace weft::nn {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Two matrices of one width, one of another and two biases, one after the other.
class ContiguousParametersTest : public testing::Test {
 protected:
  ContiguousParametersTest()
      : flat_(bind({{"first", &first_},
                    {"second", &second_},
                    {"wider", &wider_},
                    {"bias", &bias_},
                    {"longer", &longer_}},
                   DType::kF64)) {
    for (int64_t i = 0; i < flat_.size(); ++i) {
      flat_.data<double>()[i] = static_cast<double>(i);
    }
  }

  Parameter first_{{2, 3}, Init::kZeros}, second_{{1, 3}, Init::kZeros};
  Parameter wider_{{2, 4}, Init::kZeros};
  Parameter bias_{{1, 2}, Init::kZeros}, longer_{{1, 3}, Init::kZeros};
  Tensor flat_;
};

TEST_F(ContiguousParametersTest, AreOneMatrixOrOneBias) {
  const Tensor both = fused_weight({&first_, &second_});
  EXPECT_EQ(both.shape(), (Shape{3, 3}));
  EXPECT_THAT(test::values(both), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(both.node, autograd::kParameter);
  const Tensor bias = fused_bias({&bias_, &longer_});
  EXPECT_EQ(bias.shape(), (Shape{1, 5}));
  EXPECT_THAT(test::values(bias), testing::ElementsAre(17, 18, 19, 20, 21));
}

TEST(OneRowEach, AreAMatrixOfRowsOrOneBias) {
  Parameter a({1, 3}, Init::kZeros), b({1, 3}, Init::kZeros);
  bind({{"a", &a}, {"b", &b}});
  EXPECT_EQ(fused_weight({&a, &b}).shape(), (Shape{2, 3}));
  EXPECT_EQ(fused_bias({&a, &b}).shape(), (Shape{1, 6}));
}

TEST_F(ContiguousParametersTest, AreRefusedInAnotherOrder) {
  Parameter elsewhere({2, 3}, Init::kZeros);
  bind({{"elsewhere", &elsewhere}}, DType::kF64);
  const auto apart =
      ThrowsMessage<ShapeError>(HasSubstr("fused parameters: they are not contiguous"));
  EXPECT_THAT([&] { fused_weight({&second_, &first_}); }, apart);
  EXPECT_THAT([&] { fused_weight({&first_, &wider_}); }, apart);
  EXPECT_THAT([&] { fused_weight({&first_, &elsewhere}); }, apart);
}

TEST_F(ContiguousParametersTest, AreRefusedWithOtherColumns) {
  EXPECT_THAT(
      [&] {
        fused_weight({&second_, &wider_});
      },
      ThrowsMessage<ShapeError>(HasSubstr("fused parameters: columns differ; expected 3, got 4")));
}

}  // namespace
}  // namespace weft::nn
