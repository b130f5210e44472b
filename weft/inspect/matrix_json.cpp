#include "weft/inspect/matrix_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "weft/formats/base64.h"
#include "weft/formats/deflate.h"
#include "weft/inspect/inspection.h"

namespace weft::inspect {
namespace {

// Of probabilities: half of it is under 1e-4.
constexpr double kStep = 1.0 / 5050;
constexpr double kGreatestInteger = 65535;

}  // namespace

nlohmann::ordered_json matrices_json(std::span<const Tensor> matrices) {
  double low = 0, high = 0;
  size_t count = 0;
  for (const Tensor& matrix : matrices) {
    count += static_cast<size_t>(matrix.size());
    check_finite(matrix.span<float>());
    for (const float value : matrix.span<float>()) {
      low = std::min(low, static_cast<double>(value));
      high = std::max(high, static_cast<double>(value));
    }
  }
  const double step = std::max(kStep, (high - low) / kGreatestInteger);
  std::string bytes(2 * count, '\0');
  size_t i = 0;
  for (const Tensor& matrix : matrices) {
    for (const float value : matrix.span<float>()) {
      const auto number = static_cast<uint32_t>(std::lround((value - low) / step));
      bytes[i] = static_cast<char>(number & 255);
      bytes[count + i] = static_cast<char>(number >> 8);
      ++i;
    }
  }
  const Shape& shape = matrices.front().shape();
  return {{"shape", {matrices.size(), shape.rows(), shape.cols()}},
          {"low", low},
          {"step", step},
          {"data", formats::base64(formats::deflate(bytes))}};
}

}  // namespace weft::inspect
