#include <fmt/core.h>

#include <algorithm>

#include "weft/tensor/tensor.h"

namespace weft {
namespace {

double element(const Tensor& x, int64_t row, int64_t col) {
  const int64_t i = row * x.stride() + col;
  switch (x.dtype()) {
    case DType::kF64: return x.data<double>()[i];
    case DType::kF32: return x.data<float>()[i];
    case DType::kI32: return x.data<int32_t>()[i];
    case DType::kI8: return x.data<int8_t>()[i];
    case DType::kU8: return x.data<uint8_t>()[i];
    case DType::kBF16: return static_cast<float>(x.data<BF16>()[i]);
  }
  return 0;
}

// Calls show(i) for the first and last `edge` indices of n, and skip() once in between.
template <class Show, class Skip>
void edges(int64_t n, int64_t edge, Show show, Skip skip) {
  for (int64_t i = 0; i < n; ++i) {
    if (n > 2 * edge && i == edge) {
      skip();
      i = n - edge;
    }
    show(i);
  }
}

}  // namespace

std::string to_text(const Tensor& x, int64_t edge) {
  if (!x) return "Tensor, empty";
  edge = std::max<int64_t>(edge, 1);
  std::string out = fmt::format("Tensor {} {}\n[", x.shape().text(), name_of(x.dtype()));
  const auto row_text = [&](int64_t row) {
    out += row == 0 ? "[" : ",\n [";
    edges(
        x.cols(), edge,
        [&](int64_t col) { out += fmt::format("{}{:.5g}", col ? ", " : "", element(x, row, col)); },
        [&] { out += ", ..."; });
    out += "]";
  };
  edges(x.rows(), edge, row_text, [&] { out += ",\n ..."; });
  return out + "]";
}

}  // namespace weft
