// Attention to a source with rotary positions of its own rows on either side.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/models/differences.h"
#include "tests/support/rotary.h"
#include "tests/support/tensors.h"
#include "weft/nn/attention/multi_head.h"

namespace weft::nn {
namespace {

using test::distance;

constexpr int64_t kRotaryFeatures = 8;

AttentionConfig small() {
  return {.features = kRotaryFeatures, .heads = 2, .key_heads = 1, .key_size = 4, .value_size = 4};
}

// Rows at these places of a sequence.
ops::RotaryParams line(const std::vector<int32_t>& places) {
  return {test::rotary_angles(places, 100, 2)};
}

// Patches at these rows and columns of a picture: position[2 n], position[2 n + 1].
ops::RotaryParams grid(const std::vector<int32_t>& places) {
  return {ops::rotary_angles(places, 2, ops::rotary_frequencies(100, 1))};
}

ops::LayoutPtr rows(int32_t count) { return ops::make_layout({{0, count}}); }

class CrossRotary : public testing::Test {
 protected:
  CrossRotary() {
    RngStreams dropouts;
    attention_ = MultiHeadAttention(small(), dropouts);
    named_ = parameters_of(attention_);
    flat_ = nn::bind(named_, DType::kF64);
    initialise(named_, 3);
    x_ = test::random_tensor({2, kRotaryFeatures}, 1);
    memory_ = test::random_tensor({3, kRotaryFeatures}, 2);
  }
  using Rotary = std::optional<ops::RotaryParams>;
  Tensor cross(const Rotary& queries, const Rotary& keys) const {
    Context context;
    return attention_.cross(x_, CrossLayout{rows(2), memory_, rows(3), queries, keys}, context);
  }

  MultiHeadAttention attention_;
  std::vector<NamedParameter> named_;
  Tensor flat_, x_, memory_;
};

TEST_F(CrossRotary, DependsOnTheDistanceOfThePlacesAlone) {
  const Tensor plain = cross({}, {});
  const Tensor here = cross(grid({0, 0, 4, 1}), grid({0, 3, 2, 2, 7, 0}));
  const Tensor there = cross(grid({5, 2, 9, 3}), grid({5, 5, 7, 4, 12, 2}));
  const Tensor other = cross(grid({0, 0, 4, 2}), grid({0, 3, 2, 2, 7, 0}));
  EXPECT_LT(distance(here, there), 1e-12);
  EXPECT_GT(distance(here, plain), 1e-4);
  EXPECT_GT(distance(here, other), 1e-6);
  EXPECT_LT(distance(plain, cross(grid({3, 3, 3, 3}), grid({3, 3, 3, 3, 3, 3}))), 1e-12);
}

TEST_F(CrossRotary, CachesRotatedKeys) {
  const auto queries = grid({1, 0}), keys = grid({0, 3, 2, 2, 7, 0});
  KvCache cache(std::vector<kernels::AttentionPattern>(1), DType::kF64);
  cache.add_sequences(std::vector<int32_t>{0}, {{0, 3}});
  attention_.prefill_cross(memory_, cache, 0, keys);
  cache.begin_step(std::vector<int32_t>{-1}, std::vector<int32_t>{1});
  const Tensor first = x_.row_range(0, 1);
  const Tensor got = attention_.cross(first, CachedCross{cache.rows(), cache, queries}, Context());
  Context whole;
  EXPECT_LT(distance(got, attention_.cross(
                              first, CrossLayout{rows(1), memory_, rows(3), queries, keys}, whole)),
            1e-12);
}

// The rows of both sides as parameters beside the layer's.
struct Sides {
  Parameter x{{2, kRotaryFeatures}, Init::kNormal}, memory{{3, kRotaryFeatures}, Init::kNormal};
  RngStreams dropouts;
  MultiHeadAttention attention{small(), dropouts};

  template <class V>
  void fields(V& v) {
    v("x", x);
    v("memory", memory);
    v("attention", attention);
  }
};

TEST(CrossRotaryGradient, IsThatOfDifferences) {
  const std::pair<ops::RotaryParams, ops::RotaryParams> all[] = {
      {line({0, 5}), line({3, 17, 1})}, {grid({0, 2, 9, 1}), grid({4, 0, 0, 3, 7, 12})}};
  for (const auto& rules : all) {
    SCOPED_TRACE(rules.first.angles->axes);
    Sides sides;
    const Tensor flat = models::bind_in_no_special_place(sides);
    models::expect_gradient_of_differences(sides, flat, [&] {
      autograd::Tape tape;
      autograd::Gradients gradients(flat);
      Context context{.tape = &tape};
      const Tensor y = sides.attention.cross(
          sides.x, CrossLayout{rows(2), sides.memory, rows(3), rules.first, rules.second}, context);
      const Tensor d_y = test::random_tensor(y.shape(), 1);
      const auto each = y.span<double>(), weights = d_y.span<double>();
      tape.backward(y, d_y, gradients);
      return models::LossAndGradient{
          std::inner_product(each.begin(), each.end(), weights.begin(), 0.0), gradients.flat()};
    });
  }
}

}  // namespace
}  // namespace weft::nn
