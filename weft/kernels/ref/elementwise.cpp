#include "weft/kernels/elementwise.h"

#include "weft/kernels/ref/elements.h"
#include "weft/kernels/ref/int8_rows.h"

namespace weft::kernels::ref {
namespace {

// As visit(), for all storage types.
template <class Body>
void visit_storage(std::string_view kernel, const View& x, Body&& body) {
  switch (x.dtype) {
    case DType::kF32: return body(float{});
    case DType::kF64: return body(double{});
    case DType::kBF16: return body(BF16{});
    case DType::kI32: return body(int32_t{});
    default: refuse(kernel, x.dtype, "F32, F64, BF16 or I32");
  }
}

// Calls body(y, x) for each pair of elements.
template <class T, class From, class Body>
void for_each(Matrix<T> y, Matrix<From> x, Body body) {
  for (int64_t n = 0; n < x.rows; ++n) {
    for (int64_t f = 0; f < x.cols; ++f) body(y.row(n)[f], x.row(n)[f]);
  }
}

// y = function(x, z)
template <class K, class Function>
void combine(const K& k, Function function) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.template as<T>(), z = k.z.template as<T>(), y = k.y.template as<T>();
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = function(x.row(n)[f], z.row(n)[f]);
    }
  });
}

}  // namespace

void run(const Fill& k) {
  visit_storage(k.kName, k.y, [&]<class T>(T) { fill(k.y.as<T>(), k.value); });
}

void run(const Copy& k) {
  visit_storage(k.kName, k.x, [&]<class From>(From) {
    visit_storage(k.kName, k.y, [&]<class To>(To) {
      for_each(k.y.as<To>(), k.x.as<From>(), [](To& y, From x) { y = convert<To>(x); });
    });
  });
}

void run(const ScatterRows& k) {
  for (int64_t n = 0; n < k.x.rows; ++n) {
    if (k.y.dtype() == DType::kI8) {
      visit(k.kName, k.x, [&]<class T>(T) {
        round_to_int8(k.x.as<T>().row(n), k.x.cols, k.heads, k.y.row<int8_t>(k.index[n]));
      });
      continue;
    }
    run(Copy{.x = k.x.range(n, n + 1), .y = k.y.row_view(k.index[n])});
  }
}

void run(const GatherRows& k) {
  for (int64_t n = 0; n < k.y.rows; ++n) {
    const View y = k.y.range(n, n + 1);
    if (k.index[n] < 0) {
      run(Fill{.y = y, .value = 0});
    } else {
      run(Copy{.x = k.x.range(k.index[n], k.index[n] + 1), .y = y});
    }
  }
}

void run(const Add& k) {
  combine(k, [](auto x, auto z) { return x + z; });
}

void run(const Multiply& k) {
  combine(k, [](auto x, auto z) { return x * z; });
}

void run(const Divide& k) {
  combine(k, [](auto x, auto z) { return x / z; });
}

void run(const Scale& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    for_each(k.y.as<T>(), k.x.as<T>(), [&](T& y, T x) { y = static_cast<T>(k.alpha) * x; });
  });
}

void run(const ScaleRows& k) {
  visit("scale_rows", k.x, [&]<class T>(T) {
    for (int64_t n = 0; n < k.x.rows; ++n) {
      const auto factor = static_cast<T>(k.factors[n]);
      for_each(k.y.as<T>().range(n, n + 1), k.x.as<T>().range(n, n + 1),
               [&](T& y, T x) { y = factor == 0 ? T{0} : factor * x; });
    }
  });
}

void run(const Accumulate& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    for_each(k.y.as<T>(), k.x.as<T>(), [&](T& y, T x) { y += static_cast<T>(k.alpha) * x; });
  });
}

}  // namespace weft::kernels::ref
