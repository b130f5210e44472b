#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/ops/misuse.h"
#include "tests/support/environment.h"
#include "tests/support/rotary.h"
#include "weft/ops/activation.h"
#include "weft/ops/add.h"
#include "weft/ops/dropout.h"
#include "weft/ops/embedding.h"
#include "weft/ops/fused/attention.h"
#include "weft/ops/fused/embed.h"
#include "weft/ops/fused/enabled.h"
#include "weft/ops/fused/linear_attention.h"
#include "weft/ops/fused/projection_loss.h"
#include "weft/ops/fused/residual_norm.h"
#include "weft/ops/layer_norm.h"
#include "weft/ops/losses/cross_entropy.h"
#include "weft/ops/matmul.h"
#include "weft/ops/reshape.h"
#include "weft/ops/rotary.h"
#include "weft/ops/scale.h"
#include "weft/ops/slice.h"

namespace weft::ops {
namespace {

using test::expect_shape_errors;
using test::Misuse;
using test::zeros;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::test::ScopedEnvironment;

LayoutPtr rows_of(const std::vector<int32_t>& offsets) { return make_layout({offsets}); }

const Tensor kX = zeros(4, 6), kRow = zeros(1, 6), kNone;

TEST(PlainOps, NameTheOperandThatDoesNotFit) {
  expect_shape_errors({
      {[] { add(kX, zeros(4, 5), nullptr); }, "add: z has the wrong shape; expected [4, 6]"},
      {[] { add(kX, kNone, nullptr); }, "add: z is empty"},
      {[] { add_bias(kX, zeros(1, 5), nullptr); }, "add_bias: bias has the wrong shape"},
      {[] { add_bias(kX, zeros(2, 6), nullptr); }, "add_bias: bias has the wrong shape"},
      {[] { multiply(kX, zeros(3, 6), nullptr); }, "multiply: z has the wrong shape"},
      {[] { scale_by(kX, zeros(1, 6), nullptr); },
       "scale_by: factor has the wrong shape; expected [1, 1]"},
      {[] {
         reshape(kX, {5, 5}, nullptr);
       },
       "cannot view [4, 6] as [5, 5]"},
      {[] { gate(Activation::kSilu, zeros(2, 3), nullptr); },
       "gate: expected an even number of columns, got [2, 3]"},
      {[] { matmul(kX, zeros(5, 2), {}, nullptr); },
       "matmul: b has the wrong shape; expected [6, 2], got [5, 2]"},
      {[] {
         matmul(kX, zeros(5, 2), {true, false}, nullptr);
       },
       "expected [4, 2], got [5, 2]"},
      {[] {
         matmul(kX, zeros(6, 2), {false, true}, nullptr);
       },
       "expected [6, 6], got [6, 2]"},
      {[] {
         layer_norm(kX, {zeros(1, 5), kRow}, nullptr);
       },
       "layer_norm: gamma has the wrong"},
      {[] {
         layer_norm(kX, {kRow, zeros(6, 1)}, nullptr);
       },
       "layer_norm: beta has the wrong"},
      {[] { slice_rows(kX, 2, 5, nullptr); }, "rows 2..5 out of range for [4, 6]"},
      {[] { slice_cols(kX, 3, 2, nullptr); }, "columns 3..2 out of range for [4, 6]"},
      {[] { concat_rows(kX, zeros(1, 5), nullptr); }, "concat_rows: z has the wrong shape"},
      {[] { concat_cols(kX, zeros(3, 1), nullptr); }, "concat_cols: z has the wrong shape"},
      {[] {
         embedding(kX, make_ids({0, 4}), 1, nullptr);
       },
       "embedding: id 4 out of range; expected 0 to 3"},
      {[] { embedding(kX, make_ids({-1}), 1, nullptr); }, "embedding: id -1 out of range"},
      {[] {
         dropout(kX, make_dropout(0.1, {}, 0, rows_of({0, 5})), nullptr);
       },
       "dropout: x has the wrong shape; expected [5, any], got [4, 6]"},
      {[] {
         cross_entropy(kX, make_ids({0, 1, 2}), {}, nullptr);
       },
       "cross_entropy: expected 4 targets, got 3"},
      {[] {
         cross_entropy(kX, make_ids({0, 1, 2, 6}), {}, nullptr);
       },
       "cross_entropy: target 6 out of range; expected 0 to 5"},
      {[] {
         cross_entropy(kX, make_ids({0, -2, 2, 3}), {}, nullptr);
       },
       "cross_entropy: target -2 out of range"},
  });
}

// What only some rules of attention have.
std::vector<Misuse> option_misuses() {
  const LayoutPtr four = rows_of({0, 4});
  return {
      {[=] {
         attention(kX, kX, kX,
                   {.queries = four,
                    .keys = four,
                    .heads = 2,
                    .dropout = {},
                    .bias = {.table = zeros(2, 2), .slopes = {}}},
                   nullptr);
       },
       "expected a bias table of an odd number of rows, got 2"},
      {[=] {
         attention(kX, kX, kX,
                   {.queries = four,
                    .keys = four,
                    .heads = 2,
                    .dropout = {},
                    .bias = {.table = zeros(3, 1), .slopes = {}}},
                   nullptr);
       },
       "the bias table has the wrong shape; expected [any, 2], got [3, 1]"},
      {[=] {
         attention(kX, kX, kX,
                   {.queries = four,
                    .keys = four,
                    .heads = 2,
                    .dropout = {},
                    .bias = {.table = {}, .slopes = std::make_shared<std::vector<float>>(3)}},
                   nullptr);
       },
       "attention: 3 slopes for 2 heads"},
      {[=] {
         linear_attention(kX, kX, kX, {four, four, 4}, nullptr);
       },
       "linear_attention: 4 heads do not divide 6 and 6 columns"},
      {[=] {
         linear_attention(kX, kX, kX, {four, rows_of({0, 1, 4}), 2}, nullptr);
       },
       "linear_attention: 1 sequences of queries for 2 of keys"},
      {[=] { divide(kX, zeros(4, 5), nullptr); }, "divide: z has the wrong shape"},
      {[] {
         rotary(kX, {weft::test::rotary_angles({0, 1, 2, 3}, 100, 1), 2}, nullptr);
       },
       "rotary: 2 heads of 1 parts of two halves do not divide 6 columns"},
      {[] {
         rotary(kX, {rotary_angles(std::vector{0, 1, 2, 3}, 3, rotary_frequencies(100, 1))},
                nullptr);
       },
       "rotary: expected 12 positions for 4 rows, got 4"},
      {[] {
         rotary(kX, {weft::test::rotary_angles({0, 1, 2, 3}, 100, 2)}, nullptr);
       },
       "rotary: expected 3 rates for halves of 3 features, got 2"},
  };
}

std::vector<Misuse> fused_misuses() {
  const auto attend = [](const Tensor& q, const Tensor& k, const Tensor& v, int64_t heads,
                         const LayoutPtr& keys) {
    attention(q, k, v, {rows_of({0, 4}), keys, heads, 1, false, {}}, nullptr);
  };
  const LayoutPtr four = rows_of({0, 4});
  return {
      {[] {
         linear(kX, {zeros(3, 5), kNone}, Activation::kNone, nullptr);
       },
       "linear: weight has the wrong shape; expected [any, 6], got [3, 5]"},
      {[] {
         linear(kX, {zeros(3, 6), zeros(1, 6)}, Activation::kNone, nullptr);
       },
       "linear: bias has the wrong shape; expected [1, 3]"},
      {[] {
         residual_norm(kX, zeros(4, 5), {}, {kRow, kRow}, nullptr);
       },
       "residual_norm: residual has the wrong shape"},
      {[] {
         residual_norm(kX, kX, {}, {zeros(1, 5), kRow}, nullptr);
       },
       "residual_norm: gamma has the wrong shape"},
      {[] {
         residual_norm(kX, kX, {}, {kRow, zeros(1, 5)}, nullptr);
       },
       "residual_norm: beta has the wrong shape"},
      {[] {
         residual_norm(kX, kX, make_dropout(0.1, {}, 0, rows_of({0, 3})), {kRow, kRow}, nullptr);
       },
       "dropout: x has the wrong shape; expected [3, any], got [4, 6]"},
      {[four] {
         embed(kX, make_ids({0, 1}), {.rows = four, .dropout = {}}, nullptr);
       },
       "embed: 2 ids for 4 rows"},
      {[four] {
         embed(kX, make_ids({0, 1, 2, 4}), {.rows = four, .dropout = {}}, nullptr);
       },
       "embedding: id 4 out of range"},
      {[four] {
         embed(kX, make_ids({0, 1, 2, 3}),
               {.rows = four, .dropout = make_dropout(0.1, {}, 0, rows_of({0, 3}))}, nullptr);
       },
       "dropout: x has the wrong shape; expected [3, any], got [4, 6]"},
      {[=] { attend(zeros(5, 6), kX, kX, 2, four); }, "attention: q has the wrong shape"},
      {[=] { attend(kX, zeros(4, 4), kX, 2, four); }, "attention: k has the wrong shape"},
      {[=] { attend(kX, zeros(3, 6), kX, 2, four); }, "attention: k has the wrong shape"},
      {[=] { attend(kX, kX, zeros(3, 6), 2, four); }, "attention: v has the wrong shape"},
      {[=] { attend(kX, kX, kX, 4, four); }, "attention: 4 heads do not divide 6 columns of q"},
      {[=] { attend(kX, kX, zeros(4, 3), 2, four); },
       "2 heads of keys do not divide 2 heads and 3 columns of v"},
      {[=] { attend(kX, kX, kX, 0, four); }, "attention: 0 heads do not divide"},
      {[=] {
         attend(kX, kX, kX, 1, rows_of({0, 1, 4}));
       },
       "attention: 1 sequences of queries for 2 of keys"},
      {[four] {
         attention(kX, kX, kX, {four, four, 1, 1, false, make_dropout(0.1, {}, 0, rows_of({0, 3}))},
                   nullptr);
       },
       "dropout: x has the wrong shape; expected [3, any], got [4, 6]"},
      {[] {
         projection_loss(kX, {zeros(3, 5), kNone}, make_ids({0, 0, 0, 0}), {}, nullptr);
       },
       "6], got [3, 5]"},
      {[] {
         projection_loss(kX, {zeros(3, 6), zeros(1, 4)}, make_ids({0, 0, 0, 0}), {}, nullptr);
       },
       "bias has the wrong shape; expected [1, 3], got [1, 4]"},
      {[] {
         projection_loss(kX, {zeros(3, 6), kNone}, make_ids({0, 0, 0}), {}, nullptr);
       },
       "expected 4 targets, got 3"},
      {[] {
         projection_loss(kX, {zeros(3, 6), kNone}, make_ids({0, 3, 0, 0}), {}, nullptr);
       },
       "target 3 out of range; expected 0 to 2"},
  };
}

TEST(FusedOps, NameTheOperandThatDoesNotFit) {
  expect_shape_errors(fused_misuses());
  expect_shape_errors(option_misuses());
}

TEST(CompositeTwins, NameTheOperandThatDoesNotFit) {
  const ScopedEnvironment composite("WEFT_FUSED", "0");
  expect_shape_errors(fused_misuses());
  expect_shape_errors(option_misuses());
}

TEST(Layout, RefuseOffsetsThatDoNotAscendFromZero) {
  expect_shape_errors({
      {[] { rows_of({}); }, "rows: offsets must start with 0"},
      {[] {
         rows_of({1, 2});
       },
       "rows: offsets must start with 0"},
      {[] {
         rows_of({0, 3, 2});
       },
       "rows: offset 2 falls from 3 to 2"},
  });
}

TEST(MakeDropout, RefusesWhatIsNoProbabilityBelowOne) {
  for (const double p : {-0.1, 1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(
        [p] {
          make_dropout(p, {}, 0, rows_of({0, 1}));
        },
        ThrowsMessage<OptionError>(HasSubstr("dropout: expected 0 <= p < 1, got ")));
  }
}

TEST(FusedEnabled, RefusesAnotherValueThanZeroOrOne) {
  for (const char* value : {"", "2", "yes", "01"}) {
    const ScopedEnvironment broken("WEFT_FUSED", value);
    EXPECT_THAT([] { fused_enabled(); },
                ThrowsMessage<OptionError>(HasSubstr("WEFT_FUSED: expected 0 or 1, got ")));
  }
}

}  // namespace
}  // namespace weft::ops
