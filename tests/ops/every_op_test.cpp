#include <gtest/gtest.h>

#include <map>

#include "tests/ops/op_cases.h"
#include "tests/support/environment.h"
#include "tests/support/gradients.h"
#include "tests/support/kept_threads.h"
#include "tests/support/tensors.h"
#include "weft/tensor/pool.h"

namespace weft::ops::test {
namespace {

using weft::test::distance;
using weft::test::evaluate;
using weft::test::Evaluated;
using weft::test::random_inputs;
using weft::test::same_bits;
using weft::test::ScopedEnvironment;

// Central differences with a step of 1e-5 are good to about 1e-9 on functions of order one.
constexpr double kDifferences = 1e-7;
// Both twins in double: only the order of summation differs.
constexpr double kTwins = 1e-12;

void expect_gradients(const OpCase& c) {
  const auto check = autograd::check_gradients(c.run, random_inputs(c.inputs), kDifferences);
  EXPECT_TRUE(check.ok) << c.name << ": " << check.message;
}

TEST(EveryOp, HasTheGradientThatDifferencesShow) {
  for (const OpCase& c : op_cases()) {
    if (!c.is_large) expect_gradients(c);
  }
}

TEST(EveryCompositeTwin, HasTheGradientThatDifferencesShow) {
  const ScopedEnvironment composite("WEFT_FUSED", "0");
  for (const OpCase& c : op_cases()) {
    if (c.is_fused && !c.is_large) expect_gradients(c);
  }
}

Evaluated evaluate_composite(const OpCase& c, const std::vector<Tensor>& inputs) {
  const ScopedEnvironment composite("WEFT_FUSED", "0");
  return evaluate(c.run, inputs);
}

TEST(EveryFusedOp, AgreesWithItsTwinInDouble) {
  for (const OpCase& c : op_cases()) {
    if (!c.is_fused) continue;
    const auto inputs = random_inputs(c.inputs);
    EXPECT_LE(distance(evaluate(c.run, inputs), evaluate_composite(c, inputs)), kTwins) << c.name;
  }
}

TEST(EveryFusedOp, AgreesWithItsTwinInFloat) {
  for (const OpCase& c : op_cases()) {
    if (!c.is_fused) continue;
    const auto inputs = random_inputs(c.inputs, DType::kF32);
    EXPECT_LE(distance(evaluate(c.run, inputs), evaluate_composite(c, inputs)), 2 * c.tolerance.f32)
        << c.name << ": " << c.tolerance.reason;
  }
}

TEST(EveryOp, InFloatIsCloseToDouble) {
  for (const OpCase& c : op_cases()) {
    const Evaluated expected = evaluate(c.run, random_inputs(c.inputs));
    const Evaluated got = evaluate(c.run, random_inputs(c.inputs, DType::kF32));
    EXPECT_LE(distance(got, expected), c.tolerance.f32) << c.name << ": " << c.tolerance.reason;
  }
}

class Threads : public testing::Test {
 private:
  weft::test::KeptThreads kept_;
};

TEST_F(Threads, ChangeNoBitOfAnyOp) {
  for (const OpCase& c : op_cases()) {
    const auto inputs = random_inputs(c.inputs, DType::kF32);
    set_threads(1);
    const Evaluated one = evaluate(c.run, inputs);
    set_threads(2);
    const Evaluated two = evaluate(c.run, inputs);
    EXPECT_TRUE(same_bits(one.y, two.y)) << c.name;
    for (size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_TRUE(same_bits(one.gradients[i], two.gradients[i])) << c.name << ", input " << i;
    }
  }
}

TEST(EveryOp, WithoutATapeComputesTheSame) {
  for (const OpCase& c : op_cases()) {
    if (c.is_large) continue;
    const auto inputs = random_inputs(c.inputs);
    EXPECT_LE(distance(c.run(inputs, nullptr), evaluate(c.run, inputs).y), kTwins) << c.name;
  }
}

TEST(EveryOp, AllocatesNothingNewTheSecondTime) {
  for (const OpCase& c : op_cases()) {
    const auto inputs = random_inputs(c.inputs, DType::kF32);
    evaluate(c.run, inputs);
    const PoolStatistics before = pool_statistics();
    evaluate(c.run, inputs);
    EXPECT_EQ(pool_statistics().system_allocations, before.system_allocations) << c.name;
    EXPECT_EQ(pool_statistics().live_bytes, before.live_bytes) << c.name;
  }
}

TEST(EveryFusedOp, RecordsLessThanItsTwin) {
  std::map<std::string, bool> is_less;  // by the op's name; in some case
  for (const OpCase& c : op_cases()) {
    if (!c.is_fused || c.is_large) continue;
    const auto inputs = random_inputs(c.inputs);
    const size_t fused = evaluate(c.run, inputs).nodes, twin = evaluate_composite(c, inputs).nodes;
    EXPECT_LE(fused, twin) << c.name;
    is_less[c.name.substr(0, c.name.find_first_of(" ,"))] |= fused < twin;
  }
  EXPECT_GE(is_less.size(), 5u);
  for (const auto& [op, less] : is_less) EXPECT_TRUE(less) << op;
}

TEST(EveryOp, RecordsNothingForConstants) {
  for (const OpCase& c : op_cases()) {
    if (c.is_large) continue;
    autograd::Tape tape;
    EXPECT_EQ(c.run(random_inputs(c.inputs), &tape).node, autograd::kConstant) << c.name;
    EXPECT_EQ(tape.size(), 0u) << c.name;
  }
}

}  // namespace
}  // namespace weft::ops::test
