// Tensors for tests: made from numbers, and compared.
#ifndef WEFT_TESTS_SUPPORT_TENSORS_H_
#define WEFT_TESTS_SUPPORT_TENSORS_H_

#include <cstdint>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::test {

// Uniform over 0.05 <= |x| < 1, so that no element lies at ReLU's kink; every value is a float's.
// The same numbers for the same stream.
Tensor random_tensor(Shape shape, uint64_t stream, DType dtype = DType::kF64);

// The elements row by row, also those of a strided view of any type.
std::vector<double> values(const Tensor& x);

// The largest |got - expected| / max(1, largest |expected|); infinite where shapes differ or a
// number is not finite on one side only.
double distance(const Tensor& got, const Tensor& expected);

// Whether shape, type and every byte agree.
bool same_bits(const Tensor& x, const Tensor& z);

}  // namespace weft::test

#endif  // WEFT_TESTS_SUPPORT_TENSORS_H_
