#include "weft/kernels/cpu/elementwise.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// y[i] = f(d, x[i], z[i])
template <class F>
HWY_INLINE void map_both(const Stretch& s, F f) {
  with_type(s.type, [&]<class T>(T) HWY_ATTR {
    const T *x = static_cast<const T*>(s.x), *z = static_cast<const T*>(s.z);
    T* y = static_cast<T*>(s.y);
    for_lanes(s.n, [=](auto d, int64_t i)
                       HWY_ATTR { store(f(d, load(d, x + i), load(d, z + i)), d, y + i); });
  });
}

void add(const Stretch& s) {
  map_both(s, [](auto, auto x, auto z) HWY_ATTR { return hn::Add(x, z); });
}

void multiply(const Stretch& s) {
  map_both(s, [](auto, auto x, auto z) HWY_ATTR { return hn::Mul(x, z); });
}

void scale(float alpha, const Stretch& s) {
  with_type(s.type, [&]<class T>(T) HWY_ATTR {
    const T* x = static_cast<const T*>(s.x);
    T* y = static_cast<T*>(s.y);
    for_lanes(s.n, [=](auto d, int64_t i)
                       HWY_ATTR { store(hn::Mul(hn::Set(d, alpha), load(d, x + i)), d, y + i); });
  });
}

template <class From, class To>
HWY_INLINE void accumulate_as(float alpha, const From* x, To* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    store(hn::MulAdd(hn::Set(d, alpha), load(d, x + i), load(d, y + i)), d, y + i);
  });
}

void accumulate(float alpha, DType type, const void* x, DType to, void* y, int64_t n) {
  with_type(type, [=]<class From>(From) HWY_ATTR {
    with_type(to, [=]<class To>(To) HWY_ATTR {
      accumulate_as(alpha, static_cast<const From*>(x), static_cast<To*>(y), n);
    });
  });
}

void fill(DType type, float value, void* y, int64_t n) {
  with_type(type, [=]<class T>(T) HWY_ATTR {
    for_lanes(n, [=](auto d, int64_t i)
                     HWY_ATTR { store(hn::Set(d, value), d, static_cast<T*>(y) + i); });
  });
}

void to_bf16(const float* x, BF16* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR { store(load(d, x + i), d, y + i); });
}

void from_bf16(const BF16* x, float* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR { store(load(d, x + i), d, y + i); });
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

void fill(View y, float value) {
  parallel_stretches({y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(fill)(y.dtype, value, y.at(row, begin), n);
  });
}

void copy(View x, View y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    const void* from = x.at(row, begin);
    void* to = y.at(row, begin);
    if (x.dtype == y.dtype) {
      std::memmove(to, from, static_cast<size_t>(n) * size_of(x.dtype));
    } else if (y.dtype == DType::kBF16) {
      HWY_DYNAMIC_DISPATCH(to_bf16)(static_cast<const float*>(from), static_cast<BF16*>(to), n);
    } else {
      HWY_DYNAMIC_DISPATCH(from_bf16)(static_cast<const BF16*>(from), static_cast<float*>(to), n);
    }
  });
}

void add(View x, View z, View y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(add)
    ({x.dtype, x.at(row, begin), z.at(row, begin), y.at(row, begin), n});
  });
}

void multiply(View x, View z, View y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(multiply)
    ({x.dtype, x.at(row, begin), z.at(row, begin), y.at(row, begin), n});
  });
}

void scale(float alpha, View x, View y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(scale)
    (alpha, {x.dtype, x.at(row, begin), nullptr, y.at(row, begin), n});
  });
}

void accumulate(float alpha, View x, View y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(accumulate)
    (alpha, x.dtype, x.at(row, begin), y.dtype, y.at(row, begin), n);
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
