#include "weft/autograd/tape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "tests/support/tensors.h"
#include "weft/kernels/backend.h"
#include "weft/kernels/elementwise.h"
#include "weft/tensor/pool.h"

namespace weft::autograd {
namespace {

using test::values;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// The ways an op may hand over the gradient of an input.
enum class Way { kAdd, kWrite, kWriteAll, kAccumulate, kProduct };
constexpr Way kWays[] = {Way::kAdd, Way::kWrite, Way::kWriteAll, Way::kAccumulate, Way::kProduct};

void give_double(Backward& b, Way way) {
  const Tensor d_y = b.d_output();
  const auto& backend = backend_of(d_y);
  const auto overwrite = [&](const Tensor& d_x) {
    backend(kernels::Scale{.alpha = 2, .x = d_y, .y = d_x});
  };
  const auto add_to = [&](const Tensor& d_x) {
    backend(kernels::Accumulate{.alpha = 2, .x = d_y, .y = d_x});
  };
  switch (way) {
    case Way::kAdd: {
      const Tensor d_x = Tensor::empty(d_y.shape(), d_y.dtype());
      overwrite(d_x);
      return b.add(0, d_x);
    }
    case Way::kWrite: return b.write(0, overwrite);
    case Way::kWriteAll: return b.write_all([&](std::span<const Tensor> d) { overwrite(d[0]); });
    case Way::kAccumulate: return b.accumulate(0, add_to);
    case Way::kProduct:
      return b.product(
          0, [&](const Tensor& d_x, float beta) { beta == 0 ? overwrite(d_x) : add_to(d_x); });
  }
}

// y = 2 x.
Tensor twice(const Tensor& x, Tape& tape, Way way = Way::kWrite) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  backend_of(x)(kernels::Scale{.alpha = 2, .x = x, .y = y});
  tape.record({&y}, {&x}, [way](Backward& b) { give_double(b, way); });
  return y;
}

// y = x + z; hands the same gradient tensor to both.
Tensor plus(const Tensor& x, const Tensor& z, Tape& tape) {
  Tensor y = Tensor::empty(x.shape(), x.dtype());
  backend_of(x)(kernels::Add{.x = x, .z = z, .y = y});
  tape.record({&y}, {&x, &z}, [](Backward& b) {
    b.add(0, b.d_output());
    b.add(1, b.d_output());
  });
  return y;
}

// The sum of all elements, each row and column weighed by its place so that mix-ups show.
Tensor total(const Tensor& x, Tape& tape) {
  const std::vector<double> all = values(x);
  std::vector<double> weights(all.size());
  std::iota(weights.begin(), weights.end(), 1.0);
  const Tensor w = Tensor::from(weights, x.shape());
  const double sum = std::inner_product(all.begin(), all.end(), weights.begin(), 0.0);
  Tensor y = Tensor::full({1, 1}, sum, DType::kF64);
  tape.record({&y}, {&x}, [w](Backward& b) {
    b.write(0, [&](const Tensor& d_x) {
      backend_of(w)(kernels::Scale{.alpha = b.d_output().item(), .x = w, .y = d_x});
    });
  });
  return y;
}

Tensor numbers(std::vector<double> x, Shape shape) { return Tensor::from(x, shape); }

// The gradient of `x`, watched on this tape, of `loss`.
std::vector<double> gradient(Tape& tape, const Tensor& loss, const Tensor& x) {
  Gradients gradients;
  tape.backward(loss, gradients);
  return values(gradients.of(x));
}

TEST(Tape, RunsAChainBack) {
  for (const Way way : kWays) {
    Tape tape;
    const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
    const Tensor loss = total(twice(twice(x, tape, way), tape, way), tape);
    EXPECT_EQ(loss.item(), 4 * (5 + 2 * 6));
    EXPECT_THAT(gradient(tape, loss, x), ElementsAre(4, 8));
  }
}

TEST(Tape, AddsUpTheGradientsOfAValueUsedTwice) {
  for (const Way first : kWays) {
    for (const Way second : kWays) {
      Tape tape;
      const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
      const Tensor middle = twice(x, tape);
      const Tensor y = plus(twice(middle, tape, first), twice(middle, tape, second), tape);
      EXPECT_THAT(gradient(tape, total(y, tape), x), ElementsAre(8, 16));
    }
  }
}

TEST(Tape, KeepsAGradientThatTwoInputsShareApart) {
  for (const Way way : kWays) {
    Tape tape;
    const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
    const Tensor z = tape.watch(numbers({1, 1}, {1, 2}));
    const Tensor left = twice(x, tape), right = twice(z, tape);
    const Tensor other = twice(left, tape, way);  // runs back after plus() has
    const Tensor sum = plus(plus(left, right, tape), other, tape);
    Gradients gradients;
    tape.backward(total(sum, tape), gradients);
    EXPECT_THAT(values(gradients.of(x)), ElementsAre(6, 12));
    EXPECT_THAT(values(gradients.of(z)), ElementsAre(2, 4));
  }
}

TEST(Tape, AddsBothGradientsOfOneTensorGivenTwice) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  EXPECT_THAT(gradient(tape, total(plus(x, x, tape), tape), x), ElementsAre(2, 4));
}

TEST(Tape, WritesAllGradientsOfOneTensorGivenThrice) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  const Tensor constant = numbers({7, 7}, {1, 2});
  Tensor y = Tensor::zeros({1, 2}, DType::kF64);
  tape.record({&y}, {&x, &constant, &x, &x}, [](Backward& b) {
    EXPECT_FALSE(b.wants(1));
    b.write_all([&](std::span<const Tensor> d) {
      EXPECT_FALSE(d[1]);
      for (const size_t i : {0, 2, 3}) {
        backend_of(d[i])(
            kernels::Scale{.alpha = static_cast<double>(i + 1), .x = b.d_output(), .y = d[i]});
      }
    });
  });
  EXPECT_THAT(gradient(tape, total(y, tape), x), ElementsAre(8, 16));
}

TEST(Tape, RecordsNothingThatDependsOnConstantsOnly) {
  Tape tape;
  const Tensor constant = numbers({1, 2}, {1, 2});
  const auto saved = std::make_shared<int>(0);
  Tensor y = constant.clone();
  tape.record({&y}, {&constant}, [saved](Backward&) { FAIL() << "a constant has no gradient"; });
  EXPECT_EQ(y.node, kConstant);
  EXPECT_EQ(tape.size(), 0u);
  EXPECT_EQ(saved.use_count(), 1);
  Tensor z = constant.clone();
  record(nullptr, z, {&constant}, [saved](Backward&) {});
  EXPECT_EQ(z.node, kConstant);
}

TEST(Tape, AsksForNoGradientOfAConstant) {
  for (const Way way : kWays) {
    Tape tape;
    const Tensor x = tape.watch(numbers({5, 6}, {1, 2})), constant = numbers({1, 2}, {1, 2});
    Tensor y = Tensor::zeros({1, 2}, DType::kF64);
    tape.record({&y}, {&constant, &x}, [way](Backward& b) {
      EXPECT_FALSE(b.wants(0));
      if (way != Way::kWriteAll) give_double(b, way);
      b.add(1, b.d_output());
    });
    EXPECT_THAT(gradient(tape, total(y, tape), x), ElementsAre(1, 2));
  }
}

TEST(Tape, SkipsWhatTheLossDoesNotDependOn) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2})), z = tape.watch(numbers({1, 1}, {1, 2}));
  Tensor unused = z.clone();
  tape.record({&unused}, {&z}, [](Backward&) { FAIL() << "nothing depends on it"; });
  const Tensor loss = total(x, tape);
  twice(loss, tape);  // after the loss: no part of it either
  Gradients gradients;
  tape.backward(loss, gradients);
  EXPECT_THAT(values(gradients.of(x)), ElementsAre(1, 2));
  EXPECT_THAT(values(gradients.of(z)), ElementsAre(0, 0));
}

TEST(Tape, GivesAnOpTheGradientsOfTheOutputsThatWereUsed) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  Tensor used = x.clone(), unused = x.clone();
  tape.record({&unused, &used}, {&x}, [](Backward& b) {
    EXPECT_FALSE(b.d_output(0));
    b.add(0, b.d_output(1));
  });
  EXPECT_THAT(gradient(tape, total(used, tape), x), ElementsAre(1, 2));
}

TEST(Tape, StartsFromTheSeed) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  Gradients gradients;
  tape.backward(total(x, tape), gradients, -0.5);
  EXPECT_THAT(values(gradients.of(x)), ElementsAre(-0.5, -1));
}

TEST(Tape, RefusesALossThatIsNoSingleValueOfIts) {
  Tape tape;
  Gradients gradients;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  const Tensor y = twice(x, tape);
  EXPECT_THAT([&] { tape.backward(y, gradients); },
              ThrowsMessage<ShapeError>(HasSubstr(
                  "backward: expected a loss of one element made on this tape, got [1, 2]")));
  EXPECT_THROW(tape.backward(numbers({1}, {1, 1}), gradients), ShapeError);
  EXPECT_THROW(tape.backward(Tensor(), gradients), ShapeError);
  Tensor of_another = numbers({1}, {1, 1});
  of_another.node = 99;
  EXPECT_THROW(tape.backward(of_another, gradients), ShapeError);
  EXPECT_THAT(gradient(tape, total(y, tape), x), ElementsAre(2, 4));  // still whole
}

TEST(Tape, RefusesAValueOfAnotherPass) {
  Tape tape;
  Tensor stale = numbers({1}, {1, 1});
  stale.node = 7;
  EXPECT_THAT([&] { twice(stale, tape); },
              ThrowsMessage<Error>(HasSubstr("tape: a tensor of another pass")));
  EXPECT_THROW(tape.split(stale, {1}), Error);
}

TEST(Tape, IsEmptyAfterwardsAndServesAgain) {
  Tape tape;
  for (int pass = 0; pass < 3; ++pass) {
    const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
    Tensor y = x;
    for (int i = 0; i < 3000; ++i) y = plus(y, x, tape);  // closures past one block of memory
    const Tensor loss = total(y, tape);
    EXPECT_EQ(tape.size(), 3001u);
    EXPECT_THAT(gradient(tape, loss, x), ElementsAre(3001, 6002));
    EXPECT_EQ(tape.size(), 0u);
  }
}

TEST(Tape, ForgetsWhatWasRecordedOnReset) {
  Tape tape;
  const auto saved = std::make_shared<int>(0);
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  Tensor y = x.clone();
  tape.record({&y}, {&x}, [saved](Backward&) {});
  EXPECT_EQ(saved.use_count(), 2);
  tape.reset();
  EXPECT_EQ(saved.use_count(), 1);
  EXPECT_EQ(tape.size(), 0u);
}

TEST(Tape, IsLeftCleanByAnOpThatThrows) {
  const auto saved = std::make_shared<int>(0);
  {
    Tape tape;
    const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
    Tensor y = twice(x, tape), z = y.clone();
    tape.record({&z}, {&y}, [saved](Backward&) { fail("op", "broken"); });
    Gradients gradients;
    EXPECT_THROW(tape.backward(total(z, tape), gradients), Error);
  }
  EXPECT_EQ(saved.use_count(), 1);
}

TEST(Tape, FreesWhatOpsSavedWhileItRunsBack) {
  constexpr int64_t kElements = 1 << 17;  // 1 MiB of doubles
  constexpr size_t kSteps = 8;
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  std::vector<size_t> live;
  Tensor y = x;
  for (size_t i = 0; i < kSteps; ++i) {
    const Tensor before = y;
    y = before.clone();
    tape.record({&y}, {&before},
                [saved = Tensor::zeros({kElements}, DType::kF64), &live](Backward& b) {
                  live.push_back(pool_statistics().live_bytes);
                  b.add(0, b.d_output());
                });
  }
  Gradients gradients;
  tape.backward(total(y, tape), gradients);
  ASSERT_EQ(live.size(), kSteps);
  for (size_t i = 1; i < kSteps; ++i) EXPECT_LE(live[i] + 8 * kElements, live[i - 1] + 4096);
  EXPECT_LE(pool_statistics().live_bytes + 8 * kElements, live.back() + 4096);
}

// y = 2 x, made again when it is asked for.
class Doubled : public Recomputable {
 public:
  static constexpr size_t kRecomputed = 0;

  Doubled(Tensor x, int* made) : x_(std::move(x)), made_(made) {}
  void operator()(Backward& b) const { give_double(b, Way::kWrite); }

 private:
  Tensor recompute() const override {
    ++*made_;
    const Tensor y = x_.clone();
    backend_of(y)(kernels::Scale{.alpha = 2, .x = x_, .y = y});
    return y;
  }

  Tensor x_;
  int* made_;
};

TEST(Tape, KeepsWhatMakesAValueAgainInPlaceOfTheValue) {
  constexpr int64_t kElements = 1 << 17;
  const Tensor ones = Tensor::full({1, kElements}, 1, DType::kF64);
  Tape tape;
  const Tensor x = tape.watch(ones);
  Tensor y = x.clone();
  backend_of(y)(kernels::Scale{.alpha = 2, .x = x, .y = y});
  int made = 0;
  tape.record({&y}, {&x}, Doubled(x, &made));
  std::vector<Tensor> squares;
  for (int i = 0; i < 2; ++i) {
    Tensor z = y.clone();
    backend_of(z)(kernels::Multiply{.x = y, .z = y, .y = z});
    tape.record({&z}, {&y}, [y = save(&tape, y)](Backward& b) {
      const Tensor d_y = b.d_output().clone();
      backend_of(d_y)(kernels::Scale{.alpha = 2, .x = d_y, .y = d_y});
      backend_of(d_y)(kernels::Multiply{.x = d_y, .z = y.get(), .y = d_y});
      b.add(0, d_y);
    });
    squares.push_back(z);
  }
  const size_t live = pool_statistics().live_bytes;
  y = Tensor();
  EXPECT_LE(pool_statistics().live_bytes, live - sizeof(double) * kElements);
  EXPECT_EQ(made, 0);
  Tensor sum = squares[0].clone();
  backend_of(sum)(kernels::Add{.x = squares[0], .z = squares[1], .y = sum});
  tape.record({&sum}, {&squares[0], &squares[1]}, [](Backward& b) {
    b.add(0, b.d_output());
    b.add(1, b.d_output());
  });
  Gradients gradients;
  tape.backward(sum, ones, gradients);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(values(gradients.of(x)), std::vector<double>(kElements, 16));  // of 2 (2 x)^2
}

TEST(Tape, KeepsAValueThatNobodyMakesAgain) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2})), constant = numbers({5, 6}, {1, 2});
  EXPECT_TRUE(save(&tape, x).get().shares_storage_with(x));
  EXPECT_TRUE(save(&tape, constant).get().shares_storage_with(constant));
  EXPECT_TRUE(save(nullptr, x).get().shares_storage_with(x));
}

TEST(Tape, RefusesAnOpThatSavesMoreThanABlock) {
  Tape tape;
  const Tensor x = tape.watch(numbers({5, 6}, {1, 2}));
  Tensor y = x.clone();
  const std::array<double, 9000> much{};
  EXPECT_THAT([&] { tape.record({&y}, {&x}, [much](Backward&) { (void)much; }); },
              ThrowsMessage<Error>(HasSubstr("tape: an op saves 720")));
}

}  // namespace
}  // namespace weft::autograd
