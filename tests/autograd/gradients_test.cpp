#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "tests/support/tensors.h"
#include "weft/autograd/recompute.h"
#include "weft/autograd/tape.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"

namespace weft::autograd {
namespace {

using test::values;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The sum of alpha x; hands its gradient over by add() or in place.
Tensor total(double alpha, const Tensor& x, Tape& tape, bool in_place) {
  double sum = 0;
  for (const double element : values(x)) sum += alpha * element;
  Tensor y = Tensor::full({1, 1}, sum, DType::kF64);
  tape.record({&y}, {&x}, [alpha, in_place, shape = x.shape()](Backward& b) {
    const double d = alpha * b.d_output().item();
    if (!in_place) return b.add(0, Tensor::full(shape, d, DType::kF64));
    b.write(0, [&](const Tensor& d_x) { backend_of(d_x)(kernels::Fill{.y = d_x, .value = d}); });
  });
  return y;
}

// A flat buffer [10] with a matrix [2, 3] at 1 and a bias [1, 2] at 8.
struct Parameters {
  Tensor flat = Tensor::full({10}, 1, DType::kF64);
  Tensor weight = view(1, {2, 3});
  Tensor bias = view(8, {1, 2});

  Tensor view(int64_t begin, Shape shape) const {
    Tensor out = flat.col_range(begin, begin + shape.size()).reshape(shape);
    out.node = kParameter;
    return out;
  }
};

TEST(Gradients, OfParametersStandAtTheirPlaceInTheFlatBuffer) {
  for (const bool in_place : {true, false}) {
    const Parameters p;
    Gradients gradients(p.flat);
    Tape tape;
    tape.backward(total(3, p.weight, tape, in_place), gradients);
    EXPECT_THAT(values(gradients.flat()), ElementsAre(0, 3, 3, 3, 3, 3, 3, 0, 0, 0));
    EXPECT_EQ(gradients.of(p.weight).shape(), (Shape{2, 3}));
    EXPECT_THAT(values(gradients.of(p.weight)), Each(3));
    EXPECT_THAT(values(gradients.of(p.bias)), ElementsAre(0, 0));
    EXPECT_TRUE(gradients.of(p.bias).shares_storage_with(gradients.flat()));
  }
}

TEST(Gradients, AddUpOverUsesAndOverPasses) {
  for (const bool in_place : {true, false}) {
    const Parameters p;
    Gradients gradients(p.flat);
    for (int pass = 1; pass <= 3; ++pass) {
      Tape tape;
      Tensor joint = total(2, p.bias, tape, in_place);
      const Tensor other = total(5, p.bias, tape, in_place);
      Tensor loss = joint.clone();
      tape.record({&loss}, {&joint, &other}, [](Backward& b) {
        b.add(0, b.d_output());
        b.add(1, b.d_output());
      });
      tape.backward(loss, gradients);
      EXPECT_THAT(values(gradients.of(p.bias)), Each(7 * pass));
    }
    EXPECT_THAT(values(gradients.of(p.weight)), Each(0));
  }
}

// Adds 1 to the gradient of the listed rows of x.
Tensor rows_of(const Tensor& x, std::vector<int32_t> rows, Tape& tape) {
  Tensor y = Tensor::full({1, 1}, 1, DType::kF64);
  tape.record({&y}, {&x}, [rows = std::move(rows)](Backward& b) {
    b.accumulate_rows(0, rows, [&](const Tensor& d_x) {
      for (const int32_t row : rows) {
        for (double& d : d_x.row_range(row, row + 1).span<double>()) d += 1;
      }
    });
  });
  return y;
}

// A table [64, 4096] at 5 of a flat buffer, so that its rows are read apart.
TEST(Gradients, OfSomeRowsAreSummedAndCleared) {
  constexpr int64_t kRows = 64, kCols = 4096;
  const Tensor flat = Tensor::full({5 + kRows * kCols}, 1, DType::kF64);
  Tensor table = flat.col_range(5, 5 + kRows * kCols).reshape({kRows, kCols});
  table.node = kParameter;
  const std::vector<std::vector<int32_t>> updates = {
      {63, 2, 40, 2}, {}, {7}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {62}};
  Gradients gradients(flat);
  for (const std::vector<int32_t>& rows : updates) {
    gradients.clear();
    EXPECT_EQ(sum_of_squares(gradients.flat()), 0);
    Tape tape;
    tape.backward(rows_of(table, rows, tape), gradients);
    for (int32_t row = 0; row < kRows; ++row) {
      const Tensor d = gradients.of(table).row_range(row, row + 1);
      EXPECT_THAT(values(d), Each(std::ranges::count(rows, row))) << row;
    }
    EXPECT_EQ(gradients.sum_of_squares(), sum_of_squares(gradients.flat()));
  }
  gradients.mark_written();
  EXPECT_EQ(gradients.sum_of_squares(), sum_of_squares(gradients.flat()));
}

TEST(Gradients, OfSomeRowsOfAWatchedTensorAreThoseOfAll) {
  Tape tape;
  Gradients gradients;
  const Tensor x = tape.watch(Tensor::full({3, 2}, 1, DType::kF64));
  tape.backward(rows_of(x, {2, 0, 2}, tape), gradients);
  EXPECT_THAT(values(gradients.of(x)), ElementsAre(1, 1, 0, 0, 2, 2));
}

// loss = 3 (the sum of weight), computed again in backward; the bias is used on the tape itself.
TEST(Gradients, OfParametersThatAreUsedAgainInBackward) {
  const Parameters p;
  Gradients gradients(p.flat);
  Tape tape;
  Tensor again = Tensor::full({1, 1}, 18, DType::kF64);
  int runs = 0;
  record_recomputed(tape, again, [&](Tape* inner) {
    ++runs;
    return total(3, p.weight, *inner, false);
  });
  const Tensor other = total(2, p.bias, tape, false);
  Tensor loss = Tensor::full({1, 1}, 22, DType::kF64);
  tape.record({&loss}, {&again, &other}, [](Backward& b) {
    b.add(0, b.d_output());
    b.add(1, b.d_output());
  });
  EXPECT_EQ(runs, 0);
  tape.backward(loss, gradients, 5);
  EXPECT_EQ(runs, 1);
  EXPECT_THAT(values(gradients.of(p.weight)), Each(15));
  EXPECT_THAT(values(gradients.of(p.bias)), Each(10));
}

TEST(Gradients, OfAViewOverNeighboursCoverThemAll) {
  const Parameters p;
  const Tensor both = p.view(7, {1, 3});
  Gradients gradients(p.flat);
  Tape tape;
  tape.backward(total(1, both, tape, true), gradients);
  EXPECT_THAT(values(gradients.flat()), ElementsAre(0, 0, 0, 0, 0, 0, 0, 1, 1, 1));
}

TEST(Gradients, OfWatchedTensorsAreThoseOfTheLastPass) {
  Gradients gradients;
  for (int pass = 0; pass < 2; ++pass) {
    Tape tape;
    const Tensor x = tape.watch(Tensor::zeros({1, 2}, DType::kF64));
    tape.backward(total(4, x, tape, true), gradients);
    EXPECT_THAT(values(gradients.of(x)), ElementsAre(4, 4));
  }
}

TEST(Gradients, AreZeroOnceCleared) {
  const Parameters p;
  Gradients gradients(p.flat);
  Tape tape;
  const Tensor x = tape.watch(Tensor::zeros({1, 2}, DType::kF64));
  total(1, p.weight, tape, true);
  tape.backward(total(1, x, tape, true), gradients);
  gradients.clear();
  EXPECT_THAT(values(gradients.flat()), Each(0));
  EXPECT_THROW(gradients.of(x), Error);
  EXPECT_NO_THROW(Gradients().clear());
}

// d_weight = 3 + beta d_weight. Returns the beta that the op was given.
float beta_of_a_product(const Parameters& p, Gradients& gradients) {
  Tape tape;
  Tensor y = Tensor::full({1, 1}, 0, DType::kF64);
  float given = -1;
  tape.record({&y}, {&p.weight}, [&given](Backward& b) {
    b.product(0, [&](const Tensor& d, float beta) {
      given = beta;
      for (int64_t i = 0; i < d.size(); ++i) d.data<double>()[i] = 3 + beta * d.data<double>()[i];
    });
  });
  tape.backward(y, gradients);
  return given;
}

TEST(Gradients, OfAnEarlierUpdateAreOverwrittenWithoutZerosFirst) {
  const Parameters p;
  Gradients gradients(p.flat);
  EXPECT_EQ(beta_of_a_product(p, gradients), 1);  // never written: zeros already
  gradients.clear();
  EXPECT_EQ(beta_of_a_product(p, gradients), 0);
  EXPECT_EQ(beta_of_a_product(p, gradients), 1);
  EXPECT_THAT(values(gradients.flat()), ElementsAre(0, 6, 6, 6, 6, 6, 6, 0, 0, 0));
  gradients.clear();
  EXPECT_THAT(values(gradients.of(p.weight)), Each(0));
  EXPECT_EQ(beta_of_a_product(p, gradients), 1);
}

// The next update writes a part of what the last one wrote, another one less.
TEST(Gradients, OfAnEarlierUpdateAreZeroWhereNothingIsAdded) {
  const Parameters p;
  for (const bool in_place : {true, false}) {
    Gradients gradients(p.flat);
    const auto add = [&](const Tensor& x) {
      Tape tape;
      tape.backward(total(2, x, tape, in_place), gradients);
    };
    add(p.view(0, {1, 10}));
    gradients.clear();
    add(p.bias);
    EXPECT_EQ(gradients.sum_of_squares(), 8);
    gradients.clear();
    gradients.clear();
    add(p.view(7, {1, 2}));
    EXPECT_THAT(values(gradients.flat()), ElementsAre(0, 0, 0, 0, 0, 0, 0, 2, 2, 0));
    gradients.clear();
    gradients.clear_range(0, 8);
    EXPECT_EQ(gradients.sum_of_squares(), 0);
  }
}

// The parts of two parameters: one is written, one is not.
TEST(Gradients, AreClearedInARange) {
  const Parameters p;
  Gradients gradients(p.flat);
  Tape tape;
  tape.backward(total(3, p.weight, tape, true), gradients);
  gradients.clear_range(2, 9);
  EXPECT_THAT(values(gradients.flat()), ElementsAre(0, 3, 0, 0, 0, 0, 0, 0, 0, 0));
  gradients.mark_written();
  gradients.clear_range(0, 10);
  EXPECT_THAT(values(gradients.flat()), Each(0));
}

// Of 256 MiB, as of a large model whose last layer is trained.
TEST(Gradients, TakeMemoryOnlyWhereTheyAreWritten) {
  constexpr int64_t kSize = int64_t{1} << 25;
  const Tensor flat = Tensor::zeros_on_demand({kSize}, DType::kF64);
  Tensor bias = flat.col_range(kSize / 2, kSize / 2 + 2).reshape({1, 2});
  bias.node = kParameter;
  Gradients gradients(flat);
  for (int pass = 0; pass < 2; ++pass) {
    gradients.clear();
    Tape tape;
    tape.backward(total(2, bias, tape, true), gradients);
    gradients.clear_range(0, kSize / 4);
    EXPECT_THAT(values(gradients.of(bias)), Each(2));
  }
  std::vector<unsigned char> pages(kSize * sizeof(double) / 4096);
  ASSERT_EQ(mincore(gradients.flat().data<double>(), kSize * sizeof(double), pages.data()), 0);
  EXPECT_LE(std::ranges::count_if(pages, [](int page) { return page & 1; }), 2 * 512);
}

TEST(Gradients, KnowOnlyTheirParametersAndWhatWasWatched) {
  const Parameters p, others;
  const Gradients gradients(p.flat);
  const auto refuses = [&](const Tensor& x) {
    EXPECT_THAT([&] { gradients.of(x); },
                ThrowsMessage<Error>(HasSubstr("gradients: no gradient of this tensor")));
  };
  refuses(others.weight);
  refuses(Tensor::zeros({1, 2}, DType::kF64));
  refuses(Tensor());
  Tensor made = Tensor::zeros({1, 2}, DType::kF64);
  made.node = 3;
  refuses(made);
}

TEST(Gradients, WithoutABufferHaveNoRoomForParameters) {
  const Parameters p;
  Gradients gradients;
  Tape tape;
  EXPECT_THAT([&] { tape.backward(total(1, p.bias, tape, true), gradients); },
              ThrowsMessage<Error>(HasSubstr("gradients: no memory for gradients of parameters")));
}

}  // namespace
}  // namespace weft::autograd
