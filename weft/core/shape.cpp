#include "weft/core/shape.h"

namespace weft {

std::string Shape::text() const {
  std::string out = "[";
  for (int i = 0; i < rank_; ++i) out += (i == 0 ? "" : ", ") + std::to_string(dims_[i]);
  return out + "]";
}

}  // namespace weft
