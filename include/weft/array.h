// Arrays of numbers.
#ifndef WEFT_ARRAY_H_
#define WEFT_ARRAY_H_

#include <cstdint>
#include <vector>

namespace weft {

// In row-major order: the last axis is contiguous.
struct Array {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

}  // namespace weft

#endif  // WEFT_ARRAY_H_
