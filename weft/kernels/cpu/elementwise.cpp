#include "weft/kernels/elementwise.h"

#include <cstring>

#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/ref/int8_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

// y[i] = f(x[i], z[i]). Operands are spans of one row.
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

void accumulate(float alpha, const View& x, const View& y) {
  with_type(x.dtype, [&]<class From>(From) HWY_ATTR {
    with_type(y.dtype, [&]<class To>(To) HWY_ATTR {
      const From* from = x.as<From>().data;
      To* to = y.as<To>().data;
      for_lanes(y.cols, [=](auto d, int64_t i) HWY_ATTR {
        store(hn::MulAdd(hn::Set(d, alpha), load(d, from + i), load(d, to + i)), d, to + i);
      });
    });
  });
}

void fill(float value, const View& y) {
  with_type(y.dtype, [&]<class T>(T) HWY_ATTR {
    T* to = y.as<T>().data;
    for_lanes(y.cols, [=](auto d, int64_t i) HWY_ATTR { store(hn::Set(d, value), d, to + i); });
  });
}

// External data may contain NaN with arbitrary bits; rounding by addition could turn it into a
// number.
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
HWY_EXPORT(accumulate);
HWY_EXPORT(fill);
HWY_EXPORT(to_bf16);
HWY_EXPORT(from_bf16);

namespace {

using Function2 = void (*)(const View& x, const View& z, const View& y);
template <class K>
void combine(const K& k, Function2 function) {
  if (!is_fast(k.x)) return ref::run(k);
  parallel_row_spans({k.x, k.z, k.y}, [&](int64_t row, int64_t begin, int64_t n) {
    function(row_span(k.x, row, begin, n), row_span(k.z, row, begin, n),
             row_span(k.y, row, begin, n));
  });
}

using ScaleFunction = void (*)(float alpha, const View& x, const View& y);
template <class K>
void scale_row_spans(const K& k, ScaleFunction function) {
  parallel_row_spans({k.x, k.y}, [&](int64_t row, int64_t begin, int64_t n) {
    function(static_cast<float>(k.alpha), row_span(k.x, row, begin, n),
             row_span(k.y, row, begin, n));
  });
}

}  // namespace

void run(const Add& k) { combine(k, HWY_DYNAMIC_DISPATCH(add)); }
void run(const Multiply& k) { combine(k, HWY_DYNAMIC_DISPATCH(multiply)); }
void run(const Divide& k) { combine(k, HWY_DYNAMIC_DISPATCH(divide)); }

void run(const Scale& k) {
  if (!is_fast(k.x)) return ref::run(k);
  scale_row_spans(k, HWY_DYNAMIC_DISPATCH(scale));
}

void run(const Accumulate& k) {
  if (!is_fast(k.x) || !is_fast(k.y)) return ref::run(k);
  scale_row_spans(k, HWY_DYNAMIC_DISPATCH(accumulate));
}

void run(const ScaleRows& k) {
  if (!is_fast(k.x)) return ref::run(k);
  for_each_row(k.x.rows, k.x.cols, [&](int64_t n) {
    const View y = k.y.range(n, n + 1);
    if (k.factors[n] == 0) return HWY_DYNAMIC_DISPATCH(fill)(0, y);
    HWY_DYNAMIC_DISPATCH(scale)(k.factors[n], k.x.range(n, n + 1), y);
  });
}

void run(const Fill& k) {
  if (!is_fast(k.y)) return ref::run(k);
  parallel_row_spans({k.y}, [&](int64_t row, int64_t begin, int64_t n) {
    HWY_DYNAMIC_DISPATCH(fill)(static_cast<float>(k.value), row_span(k.y, row, begin, n));
  });
}

void run(const Copy& k) {
  const View &x = k.x, &y = k.y;
  if (!is_fast(x) || !is_fast(y)) return ref::run(k);
  parallel_row_spans({x, y}, [&](int64_t row, int64_t begin, int64_t n) {
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

void run(const ScatterRows& k) {
  const View& x = k.x;
  const DType type = k.y.dtype();
  if (!is_fast(x) || (x.dtype != type && !is_float(x))) return ref::run(k);
  for_each_row(x.rows, x.cols, [&](int64_t n) {
    const int32_t row = k.index[n];
    if (x.dtype == type) {
      std::memcpy(k.y.row_view(row).data, x.at(n, 0),
                  static_cast<size_t>(x.cols) * size_of(x.dtype));
    } else if (type == DType::kBF16) {
      HWY_DYNAMIC_DISPATCH(to_bf16)(x.as<float>().row(n), k.y.row<BF16>(row), x.cols);
    } else {
      ref::round_to_int8(x.as<float>().row(n), x.cols, k.heads, k.y.row<int8_t>(row));
    }
  });
}

void run(const GatherRows& k) {
  const View &x = k.x, &y = k.y;
  if (x.dtype != y.dtype) return ref::run(k);
  const size_t bytes = static_cast<size_t>(y.cols) * size_of(y.dtype);
  for_each_row(y.rows, y.cols, [&](int64_t n) {
    if (k.index[n] < 0) {
      std::memset(y.at(n, 0), 0, bytes);
    } else {
      std::memcpy(y.at(n, 0), x.at(k.index[n], 0), bytes);
    }
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
