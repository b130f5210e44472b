// Vectors in fewer bits. Each is rounded by itself, so that it does not depend on others.
#ifndef WEFT_PREDICT_EMBEDDING_QUANTISE_H_
#define WEFT_PREDICT_EMBEDDING_QUANTISE_H_

#include <cstdint>
#include <span>
#include <vector>

namespace weft::predict {

// The numbers times 127 / the largest magnitude, rounded to even: cosines stay nearly the same.
std::vector<int8_t> int8_vector(std::span<const float> vector);

// A bit for each number, 1 where it is above 0; the first number is the highest bit of the first
// byte, as numpy.packbits has it. The last byte is filled with zeros.
std::vector<uint8_t> sign_bits(std::span<const float> vector);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_EMBEDDING_QUANTISE_H_
