#include "weft/kernels/ref/activation.h"

#include "weft/kernels/activation.h"
#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void run(const Activate& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), y = k.y.as<T>();
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = 0; f < x.cols; ++f) y.row(n)[f] = activate(k.kind, x.row(n)[f]);
    }
  });
}

void run(const ActivateBackward& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), d_y = k.d_y.as<T>(), d_x = k.d_x.as<T>();
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = 0; f < x.cols; ++f) {
        d_x.row(n)[f] = d_y.row(n)[f] * d_activate(k.kind, x.row(n)[f]);
      }
    }
  });
}

void run(const Gate& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), y = k.y.as<T>();
    for (int64_t n = 0; n < y.rows; ++n) {
      const T* linear = x.row(n) + y.cols;
      for (int64_t f = 0; f < y.cols; ++f) y.row(n)[f] = activate(k.kind, x.row(n)[f]) * linear[f];
    }
  });
}

void run(const GateBackward& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), d_y = k.d_y.as<T>(), d_x = k.d_x.as<T>();
    const int64_t width = d_y.cols;
    for (int64_t n = 0; n < d_y.rows; ++n) {
      for (int64_t f = 0; f < width; ++f) {
        const T gate = x.row(n)[f], linear = x.row(n)[width + f], d = d_y.row(n)[f];
        d_x.row(n)[f] = d * linear * d_activate(k.kind, gate);
        d_x.row(n)[width + f] = d * activate(k.kind, gate);
      }
    }
  });
}

}  // namespace weft::kernels::ref
