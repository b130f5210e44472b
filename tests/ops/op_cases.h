// The case table of all ops: what each mode of tests/ops/every_op_test.cpp runs over.
#ifndef WEFT_TESTS_OPS_OP_CASES_H_
#define WEFT_TESTS_OPS_OP_CASES_H_

#include <string>
#include <utility>
#include <vector>

#include "weft/autograd/gradient_check.h"
#include "weft/ops/layout.h"

namespace weft::ops::test {

// How far f32 may be from double, as a share of the largest element (of 1 where that is smaller).
struct Tolerance {
  double f32;
  const char* reason;
};

inline constexpr Tolerance kRounding{2e-6, "a few roundings of f32 to an element"};
inline constexpr Tolerance kLongSums{2e-5, "sums of hundreds of f32 terms in another order"};

struct OpCase {
  std::string name;
  std::vector<Shape> inputs;  // filled with random_tensor()
  autograd::CheckedFunction run;
  bool is_fused = false;  // WEFT_FUSED=0 selects a composite twin
  bool is_large = false;  // for tiles, tails and threads; too many elements for differences
  Tolerance tolerance = kRounding;
};

using Inputs = const std::vector<Tensor>&;
using Cases = std::vector<OpCase>;

inline OpCase fused(std::string name, std::vector<Shape> inputs, autograd::CheckedFunction run) {
  return {std::move(name), std::move(inputs), std::move(run), true};
}

inline OpCase large(OpCase c) {
  c.is_large = true;
  c.tolerance = kLongSums;
  return c;
}

// Offsets of sequences of these lengths.
inline LayoutPtr lengths(const std::vector<int32_t>& of_sentences, int32_t first = 0) {
  std::vector<int32_t> offsets{0};
  for (const int32_t n : of_sentences) offsets.push_back(offsets.back() + n);
  return make_layout({offsets, first});
}

const Cases& op_cases();

// The parts of the table.
void add_plain_cases(Cases& cases);
void add_linear_cases(Cases& cases);
void add_fused_cases(Cases& cases);
void add_norm_and_loss_cases(Cases& cases);
void add_recurrent_cases(Cases& cases);
void add_label_cases(Cases& cases);

}  // namespace weft::ops::test

#endif  // WEFT_TESTS_OPS_OP_CASES_H_
