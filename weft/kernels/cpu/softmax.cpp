#include "weft/kernels/cpu/softmax.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "weft/kernels/cpu/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "weft/kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::cpu::HWY_NAMESPACE {

void softmax_row(const float* x, float* y, int64_t n) {
  const float top = max_of(x, n);
  const float sum = sum_over(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto e = exp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, top)));
    hn::StoreU(e, d, y + i);
    return e;
  });
  const float inverse = 1 / sum;
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), hn::Set(d, inverse)), d, y + i);
  });
}

void d_softmax_row(const float* y, const float* d_y, float* d_x, int64_t n) {
  const float dot = sum_over(n, [=](auto d, int64_t i) HWY_ATTR {
    return hn::Mul(hn::LoadU(d, y + i), hn::LoadU(d, d_y + i));
  });
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto centred = hn::Sub(hn::LoadU(d, d_y + i), hn::Set(d, dot));
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), centred), d, d_x + i);
  });
}

void log_softmax_row(const float* x, float* y, int64_t n) {
  const float top = max_of(x, n);
  const float sum = sum_over(n, [=](auto d, int64_t i) HWY_ATTR {
    return exp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, top)));
  });
  const float normaliser = top + std::log(sum);
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, normaliser)), d, y + i);
  });
}

void d_log_softmax_row(const float* y, const float* d_y, float* d_x, int64_t n) {
  const float sum = sum_over(n, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, d_y + i); });
  for_lanes(n, [=](auto d, int64_t i) HWY_ATTR {
    const auto p = exp(d, hn::LoadU(d, y + i));
    hn::StoreU(hn::NegMulAdd(p, hn::Set(d, sum), hn::LoadU(d, d_y + i)), d, d_x + i);
  });
}

}  // namespace weft::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels::cpu {

HWY_EXPORT(softmax_row);
HWY_EXPORT(d_softmax_row);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(d_log_softmax_row);

void softmax(Floats x, Floats y) {
  if (x.cols == 0) return;
  parallel_rows(x.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      HWY_DYNAMIC_DISPATCH(softmax_row)(x.row(n), y.row(n), x.cols);
    }
  });
}

void d_softmax(Floats y, Floats d_y, Floats d_x) {
  parallel_rows(y.rows, y.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      HWY_DYNAMIC_DISPATCH(d_softmax_row)(y.row(n), d_y.row(n), d_x.row(n), y.cols);
    }
  });
}

void log_softmax(Floats x, Floats y) {
  if (x.cols == 0) return;
  parallel_rows(x.rows, x.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      HWY_DYNAMIC_DISPATCH(log_softmax_row)(x.row(n), y.row(n), x.cols);
    }
  });
}

void d_log_softmax(Floats y, Floats d_y, Floats d_x) {
  parallel_rows(y.rows, y.cols, [=](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      HWY_DYNAMIC_DISPATCH(d_log_softmax_row)(y.row(n), d_y.row(n), d_x.row(n), y.cols);
    }
  });
}

}  // namespace weft::kernels::cpu
#endif  // HWY_ONCE
