#include "weft/kernels/cpu/crf_products.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/crf_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DoubleTag = hn::CappedTag<double, 8>;

// The rows i of z [count, stride], each multiplied by x[i * x_stride].
struct Terms {
  int64_t count;
  const double* x;
  int64_t x_stride;
  const double* z;
  int64_t stride;
};

// Adds the sum of the terms to `Vectors` (1 or 4) registers of columns from column j.
template <int Vectors>
HWY_INLINE void add_columns(const Terms& terms, int64_t j, double* sums) {
  const DoubleTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto sum0 = hn::LoadU(d, sums + j), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  if constexpr (Vectors > 1) {
    sum1 = hn::LoadU(d, sums + j + lanes);
    sum2 = hn::LoadU(d, sums + j + 2 * lanes);
    sum3 = hn::LoadU(d, sums + j + 3 * lanes);
  }
  for (int64_t i = 0; i < terms.count; ++i) {
    const auto factor = hn::Set(d, terms.x[i * terms.x_stride]);
    const double* row = terms.z + i * terms.stride + j;
    sum0 = hn::MulAdd(factor, hn::LoadU(d, row), sum0);
    if constexpr (Vectors > 1) {
      sum1 = hn::MulAdd(factor, hn::LoadU(d, row + lanes), sum1);
      sum2 = hn::MulAdd(factor, hn::LoadU(d, row + 2 * lanes), sum2);
      sum3 = hn::MulAdd(factor, hn::LoadU(d, row + 3 * lanes), sum3);
    }
  }
  hn::StoreU(sum0, d, sums + j);
  if constexpr (Vectors > 1) {
    hn::StoreU(sum1, d, sums + j + lanes);
    hn::StoreU(sum2, d, sums + j + 2 * lanes);
    hn::StoreU(sum3, d, sums + j + 3 * lanes);
  }
}

// sums [stride] += the sum of the terms.
HWY_INLINE void add_terms(const Terms& terms, double* sums) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(DoubleTag()));
  int64_t j = 0;
  for (; j + 4 * lanes <= terms.stride; j += 4 * lanes) add_columns<4>(terms, j, sums);
  for (; j < terms.stride; j += lanes) add_columns<1>(terms, j, sums);
}

void multiply(const double* x, const CrfMatrix& m, double* y) {
  const DoubleTag d;
  for (int64_t j = 0; j < m.stride; j += static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(hn::Zero(d), d, y + j);
  }
  add_terms({m.rows, x, 1, m.values.data(), m.stride}, y);
}

void add_products(const CrfMatrix& x, const CrfMatrix& z, CrfMatrix& m) {
  for (int64_t i = 0; i < m.rows; ++i) {
    add_terms({z.rows - 1, x.row(0) + i, x.stride, z.row(1), z.stride}, m.row(i));
  }
}

void max_plus(const double* x, const CrfMatrix& m, double* best, int32_t* index) {
  const DoubleTag d;
  const hn::Rebind<int32_t, DoubleTag> d32;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t j = 0; j < m.stride; j += lanes) {
    auto highest = hn::Set(d, -std::numeric_limits<double>::infinity());
    auto from = hn::Zero(d);
    for (int64_t i = 0; i < m.rows; ++i) {
      const auto sum = hn::Add(hn::Set(d, x[i]), hn::LoadU(d, m.row(i) + j));
      const auto is_higher = hn::Gt(sum, highest);
      highest = hn::IfThenElse(is_higher, sum, highest);
      from = hn::IfThenElse(is_higher, hn::Set(d, static_cast<double>(i)), from);
    }
    hn::StoreU(highest, d, best + j);
    hn::StoreU(hn::DemoteTo(d32, from), d32, index + j);
  }
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(multiply);
HWY_EXPORT(add_products);
HWY_EXPORT(max_plus);

void crf_multiply(const double* x, const CrfMatrix& m, double* y) {
  HWY_DYNAMIC_DISPATCH(multiply)(x, m, y);
}

void crf_add_products(const CrfMatrix& x, const CrfMatrix& z, CrfMatrix& m) {
  if (z.rows > 1) HWY_DYNAMIC_DISPATCH(add_products)(x, z, m);
}

void crf_max_plus(const double* x, const CrfMatrix& m, double* best, int32_t* index) {
  HWY_DYNAMIC_DISPATCH(max_plus)(x, m, best, index);
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
