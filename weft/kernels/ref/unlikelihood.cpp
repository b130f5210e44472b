#include "weft/kernels/unlikelihood.h"

#include "weft/kernels/ref/elements.h"

namespace weft::kernels::ref {

void run(const Unlikelihood& c) {
  visit(c.kName, c.x, [&]<class T>(T) {
    const auto x = c.x.as<T>(), d_x = c.d_x.as<T>();
    for (int64_t n = 0; n < x.rows; ++n) {
      const T weight = static_cast<T>(c.weight) * (c.row_weights ? c.row_weights[n] : T{1});
      const T normaliser = log_sum_exp(x.row(n), x.cols);
      const auto p = [&](int64_t v) { return std::exp(x.row(n)[v] - normaliser); };
      c.loss[n] = 0;
      for (int32_t i = c.offsets[n]; i < c.offsets[n + 1]; ++i) {
        const int64_t candidate = c.candidates[i];
        T rest = 0;  // 1 - p
        for (int64_t v = 0; v < x.cols; ++v) rest += v == candidate ? T{0} : p(v);
        rest = std::max(rest, static_cast<T>(c.kSmallestRest));
        c.loss[n] -= std::log(rest);
        for (int64_t v = 0; d_x.data && v < x.cols; ++v) {
          const T slope = v == candidate ? p(v) : -p(v) * p(candidate) / rest;
          d_x.row(n)[v] += weight * slope;
        }
      }
    }
  });
}

}  // namespace weft::kernels::ref
