#include "weft/kernels/cpu/elementwise.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

void add(const float* x, const float* z, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, z + i)), d, y + i);
  });
}

void multiply(const float* x, const float* z, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, z + i)), d, y + i);
  });
}

void scale(float alpha, const float* x, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::Set(d, alpha), hn::LoadU(d, x + i)), d, y + i);
  });
}

void accumulate(float alpha, const float* x, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto sum = hn::MulAdd(hn::Set(d, alpha), hn::LoadU(d, x + i), hn::LoadU(d, y + i));
    hn::StoreU(sum, d, y + i);
  });
}

void fill(float value, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR { hn::StoreU(hn::Set(d, value), d, y + i); });
}

void to_bf16(const float* x, uint16_t* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<uint32_t, decltype(d)> d32;
    const hn::Rebind<int32_t, decltype(d)> di;
    const hn::Rebind<uint16_t, decltype(d)> d16;
    const auto value = hn::LoadU(d, x + i);
    const auto bits = hn::BitCast(d32, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d32, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(d32, 0x7FFF)));
    const auto quiet = hn::Or(bits, hn::Set(d32, 0x400000));
    const auto chosen = hn::IfThenElse(hn::RebindMask(d32, hn::Eq(value, value)), rounded, quiet);
    const auto upper = hn::BitCast(di, hn::ShiftRight<16>(chosen));
    hn::StoreU(hn::DemoteTo(d16, upper), d16, y + i);
  });
}

void from_bf16(const uint16_t* x, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const hn::Rebind<uint32_t, decltype(d)> d32;
    const hn::Rebind<uint16_t, decltype(d)> d16;
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(d32, hn::LoadU(d16, x + i)));
    hn::StoreU(hn::BitCast(d, bits), d, y + i);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(add);
HWY_EXPORT(multiply);
HWY_EXPORT(scale);
HWY_EXPORT(accumulate);
HWY_EXPORT(fill);
HWY_EXPORT(to_bf16);
HWY_EXPORT(from_bf16);

void fill(Floats y, float value) {
  parallel_stretches({y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(fill)(value, y.row(row) + begin, n);
  });
}

void copy(Floats x, Floats y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    std::memmove(y.row(row) + begin, x.row(row) + begin, static_cast<size_t>(n) * sizeof(float));
  });
}

void copy(Floats x, Matrix<BF16> y) {
  parallel_rows(x.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      HWY_DYNAMIC_DISPATCH(to_bf16)(x.row(row), &y.row(row)->bits, x.cols);
    }
  });
}

void copy(Matrix<BF16> x, Floats y) {
  parallel_rows(x.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      HWY_DYNAMIC_DISPATCH(from_bf16)(&x.row(row)->bits, y.row(row), x.cols);
    }
  });
}

void add(Floats x, Floats z, Floats y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(add)(x.row(row) + begin, z.row(row) + begin, y.row(row) + begin, n);
  });
}

void multiply(Floats x, Floats z, Floats y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(multiply)(x.row(row) + begin, z.row(row) + begin, y.row(row) + begin, n);
  });
}

void scale(float alpha, Floats x, Floats y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(scale)(alpha, x.row(row) + begin, y.row(row) + begin, n);
  });
}

void accumulate(float alpha, Floats x, Floats y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(accumulate)(alpha, x.row(row) + begin, y.row(row) + begin, n);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
