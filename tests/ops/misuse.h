// Calls that an op refuses.
#ifndef WEFT_TESTS_OPS_MISUSE_H_
#define WEFT_TESTS_OPS_MISUSE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::ops::test {

struct Misuse {
  std::function<void()> call;
  const char* message;
};

inline void expect_shape_errors(const std::vector<Misuse>& all) {
  for (const Misuse& misuse : all) {
    EXPECT_THAT(misuse.call,
                testing::ThrowsMessage<ShapeError>(testing::HasSubstr(misuse.message)));
  }
}

inline Tensor zeros(int64_t rows, int64_t cols) { return Tensor::zeros({rows, cols}, DType::kF64); }

}  // namespace weft::ops::test

#endif  // WEFT_TESTS_OPS_MISUSE_H_
