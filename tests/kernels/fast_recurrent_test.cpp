// Compares the fast kernels of recurrent models with the reference, with 1 and 2 threads and in
// BF16.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/compare.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/kernels/recurrent.h"

namespace weft::kernels {
namespace {

using test::compare;
using test::F32;
using test::Outputs;

struct CellCase {
  CellKind kind;
  int64_t gates, states;  // per unit
};
constexpr CellCase kCells[] = {{CellKind::kTanh, 1, 1},
                               {CellKind::kRelu, 1, 1},
                               {CellKind::kGru, 3, 1},
                               {CellKind::kLstm, 4, 2}};

class FastCells : public testing::TestWithParam<test::RowCase> {
 protected:
  F32 random(int64_t per_unit, uint64_t stream) const {
    const auto& [rows, cols, slack] = GetParam();
    return F32::random(rows, per_unit * cols, stream, slack);
  }
};

TEST_P(FastCells, AgreeWithTheReference) {
  constexpr double kTolerance = 2e-6;  // polynomial exp
  for (const CellCase& c : kCells) {
    F32 x = random(c.gates, 1), h = random(c.gates, 2), state = random(c.states, 3);
    F32 d_next = random(c.states, 4);
    cpu_backend()(Scale{.alpha = 3, .x = x, .y = x});  // to cover the curved parts
    compare({state}, kTolerance, [&](const Backend& b, Outputs& out) {
      b(Cell{.kind = c.kind, .x = x, .h = h, .state = state, .next = out[0]});
    });
    // Rounding may move a sum across the kink of ReLU, so gradients near it are zero.
    for (int64_t i = 0; c.kind == CellKind::kRelu && i < x.rows(); ++i) {
      for (int64_t j = 0; j < x.cols(); ++j) {
        if (std::abs(x.at(i, j) + h.at(i, j)) < 0.05f) d_next.row(i)[j] = 0;
      }
    }
    const auto gradient = [&](const Backend& b, Outputs& out) {
      b(CellBackward{.forward = {.kind = c.kind, .x = x, .h = h, .state = state},
                     .d_next = d_next,
                     .d_x = out[0],
                     .d_h = out[1],
                     .d_state = out[2]});
    };
    compare({x, h, state}, kTolerance, gradient);
  }
}

TEST_P(FastCells, MayOverwriteTheState) {
  for (const CellCase& c : kCells) {
    F32 x = random(c.gates, 1), h = random(c.gates, 2), state = random(c.states, 3);
    F32 next = state;
    cpu_backend()(Cell{.kind = c.kind, .x = x, .h = h, .state = state, .next = next});
    cpu_backend()(Cell{.kind = c.kind, .x = x, .h = h, .state = state, .next = state});
    EXPECT_EQ(state, next);
  }
}

TEST_P(FastCells, RowsAreGatheredOrZero) {
  const auto& [rows, cols, slack] = GetParam();
  F32 x = F32::random(7, cols, 1, slack);
  std::vector<int32_t> indices;
  for (int64_t n = 0; n < rows; ++n) indices.push_back(static_cast<int32_t>(n * 5 % 8) - 1);
  compare({random(1, 2)}, 0, [&](const Backend& b, Outputs& out) {
    b(GatherRows{.x = x, .index = indices.data(), .y = out[0]});
  });
}

INSTANTIATE_TEST_SUITE_P(Cases, FastCells, testing::ValuesIn(test::row_cases()));

struct AddedCase {
  std::vector<int32_t> lengths;
  int64_t size, width, slack;
};

TEST(FastAdditiveAttention, AgreesWithTheReference) {
  std::vector<int32_t> many;
  for (int32_t w = 0; w < 60; ++w) many.push_back(1 + w * 11 % 40);
  const AddedCase cases[] = {
      {{1}, 1, 1, 0}, {{3, 0, 5}, 9, 4, 2}, {many, 67, 130, 3}, {{}, 4, 4, 0}};
  for (const AddedCase& c : cases) {
    const auto offsets = test::offsets_of(c.lengths);
    const int64_t rows = std::ssize(c.lengths), keys_count = offsets.back();
    F32 q = F32::random(rows, c.size, 1, c.slack), v = F32::random(1, c.size, 4);
    F32 keys = F32::random(keys_count, c.size, 2, c.slack);
    F32 values = F32::random(keys_count, c.width, 3, c.slack);
    F32 out(rows, c.width, c.slack), weights(1, keys_count);
    const auto call = [&](View to, View share, std::span<const int32_t> listed = {}) {
      return AdditiveAttention{q, keys, v, values, listed, offsets, to, share};
    };
    compare({out, weights}, 5e-6, [&](const Backend& b, Outputs& o) { b(call(o[0], o[1])); });
    std::vector<int32_t> listed;
    for (int32_t t = 0; t < keys_count; ++t) listed.push_back((t * 7 + 3) % keys_count);
    compare({out, weights}, 5e-6,
            [&](const Backend& b, Outputs& o) { b(call(o[0], o[1], listed)); });
    ref_backend()(call(out, weights));
    F32 d_out = F32::random(rows, c.width, 5, c.slack);
    compare({q, keys, values, F32(rows, c.size)}, 2e-5, [&](const Backend& b, Outputs& o) {
      b(AdditiveAttentionBackward{.forward = call({}, weights),
                                  .d_out = d_out,
                                  .d_q = o[0],
                                  .d_keys = o[1],
                                  .d_values = o[2],
                                  .d_v = o[3]});
    });
  }
}

// The cache of a model with packed weights stores keys and values in BF16.
TEST(FastAdditiveAttention, TakesRoundedKeysWithFloatQueries) {
  F32 q = F32::random(3, 21, 1), v = F32::random(1, 21, 4);
  F32 keys = F32::random(9, 21, 2), values = F32::random(9, 10, 3);
  test::Rounded rounded_keys{keys.view()}, rounded_values{values.view()};
  const std::vector<int32_t> offsets{0, 4, 4, 9};
  compare({F32(3, 10), F32(1, 9)}, 2e-6, [&](const Backend& b, Outputs& o) {
    const AdditiveAttention call{q, rounded_keys, v, rounded_values, {}, offsets, o[0], o[1]};
    // The twin would round the queries again and compare them with themselves.
    (&b == &ref_backend() ? ref_backend() : cpu_backend())(call);
  });
}

}  // namespace
}  // namespace weft::kernels
