#include "weft/kernels/cpu/elementwise.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// Operands are stretches of one row. y[i] = f(x[i], z[i])
template <class F>
HWY_INLINE void map_both(const View& x, const View& z, const View& y, F f) {
  with_type(x.dtype, [&]<class T>(T) HWY_ATTR {
    const T *from = x.as<T>().data, *other = z.as<T>().data;
    T* to = y.as<T>().data;
    for_lanes(y.cols, [=](auto d, int64_t i)
                          HWY_ATTR { store(f(load(d, from + i), load(d, other + i)), d, to + i); });
  });
}

void add(const View& x, const View& z, const View& y) {
  map_both(x, z, y, [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
}

void multiply(const View& x, const View& z, const View& y) {
  map_both(x, z, y, [](auto a, auto b) HWY_ATTR { return hn::Mul(a, b); });
}

void divide(const View& x, const View& z, const View& y) {
  map_both(x, z, y, [](auto a, auto b) HWY_ATTR { return hn::Div(a, b); });
}

void scale(float alpha, const View& x, const View& y) {
  with_type(x.dtype, [&]<class T>(T) HWY_ATTR {
    const T* from = x.as<T>().data;
    T* to = y.as<T>().data;
    for_lanes(y.cols, [=](auto d, int64_t i) HWY_ATTR {
      store(hn::Mul(hn::Set(d, alpha), load(d, from + i)), d, to + i);
    });
  });
}

void scale_row(float factor, const View& x, const View& y) {
  if (factor != 0) return scale(factor, x, y);
  with_type(y.dtype, [&]<class T>(T) HWY_ATTR {
    T* to = y.as<T>().data;
    for_lanes(y.cols, [=](auto d, int64_t i) HWY_ATTR { store(hn::Zero(d), d, to + i); });
  });
}

template <class From, class To>
HWY_INLINE void accumulate_as(float alpha, const From* x, To* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    store(hn::MulAdd(hn::Set(d, alpha), load(d, x + i), load(d, y + i)), d, y + i);
  });
}

void accumulate(float alpha, const View& x, const View& y) {
  with_type(x.dtype, [&]<class From>(From) HWY_ATTR {
    with_type(y.dtype, [&]<class To>(To) HWY_ATTR {
      accumulate_as(alpha, x.as<From>().data, y.as<To>().data, y.cols);
    });
  });
}

void fill(float value, const View& y) {
  with_type(y.dtype, [&]<class T>(T) HWY_ATTR {
    T* to = y.as<T>().data;
    for_lanes(y.cols, [=](auto d, int64_t i) HWY_ATTR { store(hn::Set(d, value), d, to + i); });
  });
}

// Of numbers from elsewhere a NaN may have any bits, and adding to them could make it a number.
void to_bf16(const float* x, BF16* y, int64_t n) {
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto v = load(d, x + i);
    store(hn::IfThenElse(hn::Eq(v, v), v, hn::NaN(d)), d, y + i);
  });
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
HWY_EXPORT(divide);
HWY_EXPORT(scale);
HWY_EXPORT(scale_row);
HWY_EXPORT(accumulate);
HWY_EXPORT(fill);
HWY_EXPORT(to_bf16);
HWY_EXPORT(from_bf16);

void fill(View y, float value) {
  parallel_stretches({y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(fill)(value, stretch(y, row, begin, n));
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

void scatter_rows(View x, const int32_t* at, View y) {
  parallel_rows(x.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (x.dtype == y.dtype) {
        std::memcpy(y.at(at[n], 0), x.at(n, 0), static_cast<size_t>(x.cols) * size_of(x.dtype));
      } else {
        HWY_DYNAMIC_DISPATCH(to_bf16)
        (x.as<float>().row(n), static_cast<BF16*>(y.at(at[n], 0)), x.cols);
      }
    }
  });
}

void gather_rows(View x, const int32_t* at, View y) {
  const size_t bytes = static_cast<size_t>(y.cols) * size_of(y.dtype);
  parallel_rows(y.rows, y.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      if (at[n] < 0) {
        std::memset(y.at(n, 0), 0, bytes);
      } else {
        std::memcpy(y.at(n, 0), x.at(at[n], 0), bytes);
      }
    }
  });
}

void add(View x, View z, View y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(add)
    (stretch(x, row, begin, n), stretch(z, row, begin, n), stretch(y, row, begin, n));
  });
}

void multiply(View x, View z, View y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(multiply)
    (stretch(x, row, begin, n), stretch(z, row, begin, n), stretch(y, row, begin, n));
  });
}

void divide(View x, View z, View y) {
  parallel_stretches({x, z, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(divide)
    (stretch(x, row, begin, n), stretch(z, row, begin, n), stretch(y, row, begin, n));
  });
}

void scale(float alpha, View x, View y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(scale)(alpha, stretch(x, row, begin, n), stretch(y, row, begin, n));
  });
}

void scale_rows(View x, const float* factors, View y) {
  parallel_rows(x.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      HWY_DYNAMIC_DISPATCH(scale_row)
      (factors[n], stretch(x, n, 0, x.cols), stretch(y, n, 0, x.cols));
    }
  });
}

void accumulate(float alpha, View x, View y) {
  parallel_stretches({x, y}, [=](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(accumulate)(alpha, stretch(x, row, begin, n), stretch(y, row, begin, n));
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
