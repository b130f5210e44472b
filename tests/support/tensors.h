// Creation and comparison of tensors in tests.
#ifndef WEFT_TESTS_SUPPORT_TENSORS_H_
#define WEFT_TESTS_SUPPORT_TENSORS_H_

#include <cstdint>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::test {

// Uniform over 0.05 <= |x| < 1, to avoid the kink of ReLU. All values are exact in F32. Equal
// streams give equal values.
Tensor random_tensor(Shape shape, uint64_t stream, DType dtype = DType::kF64);

// The elements in row-major order, also of strided views of any type.
std::vector<double> values(const Tensor& x);

// max|got - expected| / max(1, max|expected|); infinite if shapes differ or a value is finite in
// only one of them.
double distance(const Tensor& got, const Tensor& expected);

// Whether shape, type and all bytes are equal.
bool same_bits(const Tensor& x, const Tensor& z);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_TENSORS_H_
