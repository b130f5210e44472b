// Sizes and inputs of small attention layers.
#ifndef WEFT_TESTS_NN_ATTENTION_SMALL_INPUTS_H_
#define WEFT_TESTS_NN_ATTENTION_SMALL_INPUTS_H_

#include <vector>

#include "tests/support/tensors.h"

namespace weft::nn {

inline constexpr int64_t kHeads = 2, kSize = 3, kValue = 4, kFeatures = 6;

// Sequences of 5 rows, of one, of none and of 9.
inline const std::vector<int32_t> kOffsets = {0, 5, 6, 6, 15};
inline constexpr int64_t kRows = 15;

inline Tensor random_rows(int64_t count) {
  return test::random_tensor({count, kFeatures}, 8);  // [count, kFeatures]
}

}  // namespace weft::nn

#endif  // WEFT_TESTS_NN_ATTENTION_SMALL_INPUTS_H_
