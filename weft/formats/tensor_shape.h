// The shape of a tensor in a file.
#ifndef WEFT_FORMATS_TENSOR_SHAPE_H_
#define WEFT_FORMATS_TENSOR_SHAPE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "weft/core/shape.h"

namespace weft::formats {

// Throws FormatError, prefixed with `where`, naming the tensor, for more than 4 dimensions.
Shape tensor_shape(std::string_view where, std::string_view name,
                   const std::vector<int64_t>& dimensions);

}  // namespace weft::formats

#endif  // WEFT_FORMATS_TENSOR_SHAPE_H_
