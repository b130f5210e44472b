#include "tests/support/tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weft/core/random.h"

namespace weft::test {

Tensor random_tensor(Shape shape, uint64_t stream, DType dtype) {
  RandomStream random(20170612, stream);
  Tensor out = Tensor::empty(shape, DType::kF64);
  for (double& x : out.span<double>()) {
    const double sign = random.next_u32() % 2 == 0 ? 1 : -1;
    x = static_cast<float>(sign * (0.05 + 0.95 * random.uniform()));
  }
  return dtype == DType::kF64 ? out : out.to(dtype);
}

std::vector<double> values(const Tensor& x) {
  const Tensor dense = x.to(DType::kF64);
  const auto all = dense.span<double>();
  return {all.begin(), all.end()};
}

double distance(const Tensor& got, const Tensor& expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (got.shape() != expected.shape()) return kInfinity;
  const std::vector<double> a = values(got), b = values(expected);
  double largest = 1, apart = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return kInfinity;
    apart = std::max(apart, std::abs(a[i] - b[i]));
  }
  for (const double x : b) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
  return apart / largest;
}

bool same_bits(const Tensor& x, const Tensor& z) {
  if (x.shape() != z.shape() || x.dtype() != z.dtype()) return false;
  const Tensor a = x.clone(), b = z.clone();
  return std::memcmp(a.bytes(), b.bytes(), static_cast<size_t>(a.size()) * size_of(a.dtype())) == 0;
}

}  // namespace weft::test
