#include "weft/kernels/dropout.h"

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void run(const Dropout& k) {
  visit(k.kName, k.x, [&]<class T>(T) {
    const auto x = k.x.as<T>(), y = k.y.as<T>();
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = 0; f < x.cols; ++f) {
        const auto factor = static_cast<T>(k.mask.factor_at(n, f));
        y.row(n)[f] = factor == 0 ? T{0} : factor * x.row(n)[f];
      }
    }
  });
}

}  // namespace weft::kernels::ref
