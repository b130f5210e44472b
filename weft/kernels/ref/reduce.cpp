#include "weft/kernels/reduce.h"

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void run(const ColumnSum& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>();
    for (int64_t f = 0; f < x.cols; ++f) {
      T sum = 0;
      for (int64_t n = 0; n < x.rows; ++n) sum += x.row(n)[f];
      k.y.as<T>().data[f] += sum;
    }
  });
}

void run(const SumOfSquares& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>();
    *k.sum = 0;
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = 0; f < x.cols; ++f) *k.sum += double{x.row(n)[f]} * double{x.row(n)[f]};
    }
  });
}

void run(const RowArgmax& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    for (int64_t n = 0; n < k.x.rows; ++n) {
      const T* x = k.x.as<T>().row(n);
      int64_t best = 0;
      for (int64_t f = 1; f < k.x.cols; ++f) {
        if (x[f] > x[best]) best = f;
      }
      k.index[n] = static_cast<int32_t>(best);
    }
  });
}

}  // namespace weft::kernels::ref
