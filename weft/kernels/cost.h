// The cost of a kernel call, which the profile reports.
#ifndef WEFT_KERNELS_COST_H_
#define WEFT_KERNELS_COST_H_

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "weft/kernels/view.h"

namespace weft::kernels {

struct Cost {
  double flop = 0;   // floating-point operations; 0 for memory-bound kernels
  double bytes = 0;  // read and written
};

// The total size of the views. Empty views have size 0.
inline double bytes_of(std::initializer_list<View> views) {
  double bytes = 0;
  for (const View& x : views) {
    if (x) bytes += static_cast<double>(x.size()) * static_cast<double>(size_of(x.dtype));
  }
  return bytes;
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_COST_H_
