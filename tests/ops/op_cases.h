// The case table of all ops: what each mode of tests/ops/every_op_test.cpp runs over.
#ifndef WEFT_TESTS_OPS_OP_CASES_H_
#define WEFT_TESTS_OPS_OP_CASES_H_

#include <string>
#include <vector>

#include "weft/autograd/gradient_check.h"

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

const std::vector<OpCase>& op_cases();

// The parts of the table.
void add_plain_cases(std::vector<OpCase>& cases);
void add_fused_cases(std::vector<OpCase>& cases);
void add_norm_and_loss_cases(std::vector<OpCase>& cases);
void add_recurrent_cases(std::vector<OpCase>& cases);

}  // namespace weft::ops::test

#endif  // WEFT_TESTS_OPS_OP_CASES_H_
