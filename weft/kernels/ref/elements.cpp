#include "weft/kernels/ref/elements.h"

#include "weft/core/error.h"

namespace weft::kernels::ref {

void refuse(std::string_view kernel, DType type, std::string_view expected) {
  fail<ShapeError>(kernel, "no kernel for {}; expected {}", name_of(type), expected);
}

double sinusoid(int64_t position, int64_t f, int64_t width) {
  const double exponent = static_cast<double>(f - f % 2) / static_cast<double>(width);
  const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
  return f % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

}  // namespace weft::kernels::ref
