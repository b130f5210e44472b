#include "weft/tensor/tensor.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/tensors.h"
#include "weft/core/bf16.h"
#include "weft/kernels/backend.h"

namespace weft {
namespace {

using test::same_bits;
using test::values;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// 0, 1, 2, ... in row-major order.
Tensor counted(Shape shape) {
  std::vector<double> numbers(static_cast<size_t>(shape.size()));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return Tensor::from(numbers, shape);
}

TEST(Tensor, IsEmptyUntilItHasStorage) {
  const Tensor none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.bytes(), nullptr);
  EXPECT_FALSE(none.clone());
  EXPECT_FALSE(none.to(DType::kF32));
  EXPECT_TRUE(Tensor::empty({0, 3}));
  EXPECT_EQ(none.node, -1);
}

TEST(Tensor, IsFilledWithZerosOrAnyNumber) {
  EXPECT_THAT(values(Tensor::zeros({2, 2})), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(values(Tensor::full({1, 3}, -2.5)), ElementsAre(-2.5, -2.5, -2.5));
  EXPECT_THAT(values(Tensor::full({2}, 7, DType::kI32)), ElementsAre(7, 7));
  EXPECT_EQ(Tensor::zeros({2, 2}).dtype(), DType::kF32);
}

TEST(Tensor, CopiesItsValues) {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const Tensor x = Tensor::from(numbers, {2, 3});
  numbers[0] = 99;
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(x.dtype(), DType::kF32);
  EXPECT_EQ(Tensor::from(std::vector<int8_t>{-1}, {1}).dtype(), DType::kI8);
  EXPECT_THAT(
      [&] {
        Tensor::from(numbers, {2, 2});
      },
      ThrowsMessage<ShapeError>(HasSubstr("tensor: 6 values do not fill [2, 2]")));
}

TEST(Tensor, HandlesShareTheirMemory) {
  const Tensor x = counted({2, 2});
  EXPECT_TRUE(x.is_unique());
  const Tensor same = x;
  EXPECT_FALSE(x.is_unique());
  same.data<double>()[3] = -1;
  EXPECT_THAT(values(x), ElementsAre(0, 1, 2, -1));
  EXPECT_TRUE(x.shares_storage_with(same));
  EXPECT_FALSE(x.shares_storage_with(x.clone()));
}

TEST(Tensor, ViewsRowsAndColumnsInPlace) {
  const Tensor x = counted({4, 3});
  const Tensor rows = x.row_range(1, 3);
  EXPECT_THAT(values(rows), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_TRUE(rows.is_dense());
  EXPECT_EQ(rows.storage_offset(), 3);
  const Tensor cols = x.col_range(1, 2);
  EXPECT_THAT(values(cols), ElementsAre(1, 4, 7, 10));
  EXPECT_EQ(cols.shape(), (Shape{4, 1}));
  EXPECT_EQ(cols.stride(), 3);
  EXPECT_FALSE(cols.is_dense());
  const Tensor both = x.row_range(2, 4).col_range(1, 3).row_range(1, 2);
  EXPECT_THAT(values(both), ElementsAre(10, 11));
  EXPECT_TRUE(both.is_dense());
  EXPECT_EQ(both.storage_offset(), 10);
  EXPECT_EQ(x.row_range(4, 4).rows(), 0);
  both.data<double>()[0] = 55;
  EXPECT_EQ(values(x)[10], 55);
}

TEST(Tensor, ViewsBelongToNoTape) {
  Tensor x = counted({2, 2});
  x.node = 5;
  EXPECT_EQ(x.row_range(0, 1).node, -1);
  EXPECT_EQ(x.col_range(0, 1).node, -1);
  EXPECT_EQ(x.reshape({4}).node, -1);
  EXPECT_EQ(x.clone().node, -1);
}

TEST(Tensor, RefusesRangesOutsideItself) {
  const Tensor x = counted({4, 3});
  struct Range {
    int64_t begin, end;
  };
  for (const Range r : {Range{-1, 2}, Range{3, 2}, Range{0, 5}, Range{5, 5}}) {
    const auto range = fmt::format(" {}..{} out of range for [4, 3]", r.begin, r.end);
    EXPECT_THAT([&] { x.row_range(r.begin, r.end); },
                ThrowsMessage<ShapeError>("tensor: rows" + range));
    EXPECT_THAT([&] { x.col_range(r.begin, r.end); },
                ThrowsMessage<ShapeError>("tensor: columns" + range));
  }
}

TEST(Tensor, ReshapesDenseTensors) {
  const Tensor x = counted({4, 3});
  const Tensor y = x.reshape({2, 6});
  EXPECT_EQ(y.shape(), (Shape{2, 6}));
  EXPECT_EQ(y.stride(), 6);
  EXPECT_TRUE(y.shares_storage_with(x));
  EXPECT_EQ(values(y), values(x));
  EXPECT_EQ(values(x.reshape({12}).col_range(3, 9).reshape({2, 3})), values(x.row_range(1, 3)));
  EXPECT_THAT(
      [&] {
        x.reshape({5, 2});
      },
      ThrowsMessage<ShapeError>("tensor: cannot view [4, 3] as [5, 2]"));
  EXPECT_THAT([&] { x.col_range(0, 2).reshape({8}); },
              ThrowsMessage<ShapeError>("tensor: cannot view [4, 2] (strided) as [8]"));
}

// The slack of `x`, as rows of `base`, starts after the last row of base and ends within its slack.
void expect_slack_is_free(const Tensor& x, const Tensor& base, const std::string& name) {
  const kernels::View view = x.view(), whole = base.view();
  ASSERT_GE(view.row_capacity, view.rows) << name;
  const auto* last = static_cast<const double*>(whole.data) + whole.rows * whole.stride;
  const auto* limit = static_cast<const double*>(whole.data) + whole.row_capacity * whole.stride;
  for (int64_t n = view.rows; n < view.row_capacity; ++n) {
    const auto* row = static_cast<const double*>(view.data) + n * view.stride;
    EXPECT_GE(row, last) << name << ", slack row " << n;
    EXPECT_LE(row + view.cols, limit) << name << ", slack row " << n;
  }
}

TEST(Tensor, HasSlackRowsApartFromLiveRows) {
  for (const int64_t rows : {1, 2, 8, 9}) {
    const Tensor x = counted({rows, 4});
    EXPECT_EQ(x.view().row_capacity, kernels::padded_rows(rows));
    for (int64_t begin = 0; begin <= rows; ++begin) {
      for (int64_t end = begin; end <= rows; ++end) {
        const auto name = fmt::format("rows {}..{} of {}", begin, end, rows);
        const Tensor some = x.row_range(begin, end), part = some.col_range(1, 3);
        expect_slack_is_free(some, x, name);
        expect_slack_is_free(part, x, name + ", columns");
        expect_slack_is_free(part.row_range(0, part.rows() / 2), x, name + ", half");
        expect_slack_is_free(some.reshape({some.rows(), 4}), x, name + ", reshaped");
        expect_slack_is_free(some.reshape({some.rows() * 2, 2}), x, name + ", narrower");
        expect_slack_is_free(some.reshape({some.size()}), x, name + ", flat");
        if (part.is_dense()) expect_slack_is_free(part.reshape({part.rows(), 2}), x, name);
      }
    }
    EXPECT_EQ(x.row_range(0, rows).view().row_capacity, kernels::padded_rows(rows));
  }
}

TEST(Tensor, ConvertsBetweenTypesIntoADenseCopy) {
  const Tensor x = Tensor::from(std::vector<double>{0.1, -2, 3.7, 100, -5, 6}, {2, 3});
  EXPECT_THAT(values(x.to(DType::kF32)), ElementsAre(0.1f, -2, 3.7f, 100, -5, 6));
  EXPECT_THAT(values(x.to(DType::kI32)), ElementsAre(0, -2, 3, 100, -5, 6));
  EXPECT_EQ(values(x.to(DType::kBF16))[0], static_cast<float>(BF16(0.1f)));
  const Tensor cols = x.col_range(1, 3).to(DType::kF32);
  EXPECT_TRUE(cols.is_dense());
  EXPECT_THAT(values(cols), ElementsAre(-2, 3.7f, -5, 6));
  const Tensor copy = x.col_range(0, 1).clone();
  EXPECT_THAT(values(copy), ElementsAre(0.1, 100));
  EXPECT_FALSE(copy.shares_storage_with(x));
  EXPECT_TRUE(same_bits(x.clone(), x));
}

TEST(Tensor, ChecksTheElementType) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(x.span<double>().size(), 6u);
  EXPECT_THAT([&] { x.data<float>(); },
              ThrowsMessage<ShapeError>("tensor: data of F64 read as F32"));
  EXPECT_THAT([&] { x.col_range(0, 2).span<double>(); },
              ThrowsMessage<ShapeError>("tensor: span of a view with stride 3"));
  EXPECT_EQ(x.row_range(1, 2).col_range(2, 3).item(), 5);
  EXPECT_EQ(Tensor::full({1}, 0.5).item(), 0.5);
  EXPECT_THAT([&] { x.item(); },
              ThrowsMessage<ShapeError>("tensor: item of [2, 3]; expected one element"));
  EXPECT_THROW(Tensor().item(), ShapeError);
  EXPECT_THROW(Tensor::full({1}, 1, DType::kI32).item(), ShapeError);
}

TEST(Tensor, KeepsTheOwnerOfBorrowedMemory) {
  auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  const std::weak_ptr<std::vector<float>> watcher = owner;
  Tensor x = Tensor::borrow(owner, owner->data(), {2, 2}, DType::kF32);
  EXPECT_EQ(x.data<float>(), owner->data());
  owner.reset();
  Tensor row = x.row_range(1, 2);
  x = Tensor();
  EXPECT_FALSE(watcher.expired());
  EXPECT_THAT(values(row), ElementsAre(3, 4));
  EXPECT_EQ(row.view().row_capacity, 1);
  row = Tensor();
  EXPECT_TRUE(watcher.expired());
}

TEST(Tensor, ViewsTheStorageBehindIt) {
  const Tensor x = counted({12});
  const Tensor middle = x.col_range(2, 6).reshape({2, 2});
  EXPECT_EQ(values(middle.as_strided({3, 2})), (std::vector<double>{2, 3, 4, 5, 6, 7}));
  EXPECT_THROW(middle.as_strided({6, 2}), ShapeError);
  EXPECT_THROW(counted({4, 4}).col_range(0, 2).as_strided({2, 2}), ShapeError);
  EXPECT_THROW(Tensor().as_strided({1, 1}), ShapeError);
}

TEST(Tensor, ReadsBytesAsAnotherType) {
  const std::vector<float> floats{1, 2, 3, 4};
  std::vector<uint8_t> bytes(64 + sizeof(float) * floats.size());
  std::memcpy(bytes.data() + 64, floats.data(), sizeof(float) * floats.size());
  const Tensor file = Tensor::from(bytes, {static_cast<int64_t>(bytes.size())});
  const Tensor x = file.reinterpret(64, {2, 2}, DType::kF32);
  EXPECT_THAT(values(x), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(x.shares_storage_with(file));
  EXPECT_EQ(x.view().row_capacity, 2);
  EXPECT_THAT(
      [&] {
        file.reinterpret(68, {2, 2}, DType::kF32);
      },
      ThrowsMessage<ShapeError>("tensor: cannot read [2, 2] F32 at byte 68 of [80] U8"));
  EXPECT_THROW(x.reinterpret(0, {1}, DType::kF32), ShapeError);
}

TEST(BackendOf, SendsDoublesToTheReferenceKernels) {
  EXPECT_EQ(&backend_of(Tensor::zeros({1}, DType::kF64)), &kernels::ref_backend());
  EXPECT_EQ(&backend_of(Tensor::zeros({1})), &kernels::default_backend());
}

TEST(CheckShape, ReportsMismatches) {
  const Tensor x = counted({4, 3});
  EXPECT_NO_THROW(check_shape("op", "x", x, 4, 3));
  EXPECT_NO_THROW(check_shape("op", "x", x, -1, -1));
  EXPECT_THAT(
      [&] { check_shape("op", "x", x, -1, 5); },
      ThrowsMessage<ShapeError>("op: x has the wrong shape; expected [any, 5], got [4, 3]"));
  EXPECT_THAT(
      [&] { check_shape("op", "x", x, 3, -1); },
      ThrowsMessage<ShapeError>("op: x has the wrong shape; expected [3, any], got [4, 3]"));
  EXPECT_THAT([&] { check_shape("op", "x", Tensor(), -1, -1); },
              ThrowsMessage<ShapeError>("op: x is empty"));
}

}  // namespace
}  // namespace weft
