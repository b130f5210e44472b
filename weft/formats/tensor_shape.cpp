#include "weft/formats/tensor_shape.h"

#include "weft/core/error.h"

namespace weft::formats {

Shape tensor_shape(std::string_view where, std::string_view name,
                   const std::vector<int64_t>& dimensions) {
  const std::vector<int64_t>& d = dimensions;
  switch (d.size()) {
    case 0: return {};
    case 1: return {d[0]};
    case 2: return {d[0], d[1]};
    case 3: return {d[0], d[1], d[2]};
    case 4: return {d[0], d[1], d[2], d[3]};
    default: break;
  }
  fail<FormatError>(where, "tensor {} has {} dimensions; expected at most 4", quote(name),
                    d.size());
}

}  // namespace weft::formats
