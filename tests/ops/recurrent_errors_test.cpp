#include <gtest/gtest.h>

#include "tests/ops/misuse.h"
#include "weft/ops/fused/additive_attention.h"
#include "weft/ops/fused/cell.h"
#include "weft/ops/rows/select_rows.h"
#include "weft/ops/rows/windows.h"
#include "weft/ops/slice.h"

namespace weft::ops {
namespace {

using test::expect_shape_errors;
using test::zeros;

std::shared_ptr<const std::vector<int32_t>> list(std::vector<int32_t> x) {
  return std::make_shared<const std::vector<int32_t>>(std::move(x));
}
Tensor run(const Tensor& x, const Tensor& weight, std::vector<int32_t> steps,
           const Tensor& initial = {}) {
  return recurrence(x, {weight, zeros(1, 8)}, {CellKind::kLstm, list(std::move(steps)), initial},
                    nullptr);
}
Tensor attend(const Tensor& q, const Tensor& keys, const Tensor& v, std::vector<int32_t> offsets) {
  const auto segments = std::make_shared<const Segments>(Segments{std::move(offsets)});
  return additive_attention(q, {keys, zeros(5, 2), v, segments}, nullptr);
}

TEST(RecurrentOps, NameTheOperandThatDoesNotFit) {
  expect_shape_errors({
      {[] {
         make_selection({0, 3}, 3);
       },
       "select_rows: row 3 of 3 is not there or taken twice"},
      {[] {
         make_selection({1, 1}, 3);
       },
       "select_rows: row 1 of 3 is not there or taken twice"},
      {[] { select_rows(zeros(4, 2), make_selection({0}, 3), nullptr); },
       "select_rows: x has the wrong shape; expected [3, any]"},
      {[] {
         windows(zeros(3, 2), make_layout({{0, 3}}), 2, nullptr);
       },
       "windows: expected an odd width, got 2"},
      {[] {
         windows(zeros(4, 2), make_layout({{0, 3}}), 3, nullptr);
       },
       "windows: x has the wrong shape"},
      {[] {
         stack_rows(std::vector<Tensor>{zeros(1, 2), zeros(1, 3)}, nullptr);
       },
       "stack_rows: part has the wrong shape"},
      {[] { cell(CellKind::kGru, zeros(2, 7), zeros(2, 7), zeros(2, 2), nullptr); },
       "cell: expected 3 gates of one size, got x [2, 7]"},
      {[] { cell(CellKind::kGru, zeros(2, 6), zeros(2, 3), zeros(2, 2), nullptr); },
       "cell: h has the wrong shape; expected [2, 6], got [2, 3]"},
      {[] { cell(CellKind::kLstm, zeros(2, 8), zeros(2, 8), zeros(2, 2), nullptr); },
       "cell: state has the wrong shape; expected [2, 4], got [2, 2]"},
      {[] { stack_rows({}, nullptr); }, "stack_rows: no parts"},
      {[] {
         run(zeros(3, 10), zeros(10, 2), {0, 2, 3});
       },
       "recurrence: expected 4 gates of one size, got x [3, 10]"},
      {[] {
         run(zeros(3, 8), zeros(8, 3), {0, 2, 3});
       },
       "recurrence: weight has the wrong shape"},
      {[] {
         run(zeros(4, 8), zeros(8, 2), {0, 2, 3});
       },
       "recurrence: x has the wrong shape"},
      {[] {
         run(zeros(3, 8), zeros(8, 2), {0, 2, 3}, zeros(2, 2));
       },
       "recurrence: initial has the wrong shape"},
      {[] {
         run(zeros(3, 8), zeros(8, 2), {0, 1, 3});
       },
       "recurrence: step 1 has 2 rows; expected 1 to 1"},
      {[] {
         run(zeros(3, 8), zeros(8, 2), {0, 2, 3}, zeros(1, 4));
       },
       "recurrence: step 0 has 2 rows; expected 1 to 1"},
      {[] {
         attend(zeros(2, 3), zeros(5, 4), zeros(1, 3), {0, 2, 5});
       },
       "additive_attention: keys has the wrong shape; expected [5, 3], got [5, 4]"},
      {[] {
         attend(zeros(2, 3), zeros(5, 3), zeros(1, 4), {0, 2, 5});
       },
       "additive_attention: v has the wrong shape"},
      {[] {
         attend(zeros(3, 3), zeros(5, 3), zeros(1, 3), {0, 2, 5});
       },
       "additive_attention: q has the wrong shape"},
      {[] {
         attend(zeros(2, 3), zeros(4, 3), zeros(1, 3), {0, 2, 4});
       },
       "additive_attention: values has the wrong shape; expected [4, any], got [5, 2]"},
  });
}

}  // namespace
}  // namespace weft::ops
