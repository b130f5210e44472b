// Elementwise kernels on [N, D], and gather and scatter of rows.
#ifndef WEFT_KERNELS_ELEMENTWISE_H_
#define WEFT_KERNELS_ELEMENTWISE_H_

#include "weft/kernels/cost.h"
#include "weft/kernels/paged_rows.h"

namespace weft::kernels {

struct Fill {
  View y;
  double value;
  static constexpr std::string_view kName = "fill";
  Cost cost() const { return {0, bytes_of({y})}; }
};

// Copies and converts dtypes; to BF16 rounds to nearest, ties to even.
struct Copy {
  View x, y;
  static constexpr std::string_view kName = "copy";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// y[index[n]] = x[n], with the conversions of Copy, or to I8 with the scale max |x| / 127 of each
// of the row's heads.
struct ScatterRows {
  View x;
  const int32_t* index;
  PagedRows y;
  int64_t heads = 1;
  static constexpr std::string_view kName = "copy";
  Cost cost() const { return {0, bytes_of({x, x})}; }
};

// y[n] = x[index[n]], or zeros if index[n] is negative.
struct GatherRows {
  View x;
  const int32_t* index;
  View y;
  static constexpr std::string_view kName = "copy";
  Cost cost() const { return {0, bytes_of({y, y})}; }
};

// y = x + z
struct Add {
  View x, z, y;
  static constexpr std::string_view kName = "add";
  Cost cost() const { return {0, bytes_of({x, z, y})}; }
};

// y = x * z
struct Multiply {
  View x, z, y;
  static constexpr std::string_view kName = "multiply";
  Cost cost() const { return {0, bytes_of({x, z, y})}; }
};

// y = x / z
struct Divide {
  View x, z, y;
  static constexpr std::string_view kName = "divide";
  Cost cost() const { return {0, bytes_of({x, z, y})}; }
};

// y = alpha x
struct Scale {
  double alpha;
  View x, y;
  static constexpr std::string_view kName = "scale";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// y[n] = factors[n] * x[n]. A factor of 0 gives zeros, even for infinities and NaN.
struct ScaleRows {
  View x;
  const float* factors;
  View y;
  static constexpr std::string_view kName = "scale";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// y += alpha x. F32 and BF16 may be mixed.
struct Accumulate {
  double alpha;
  View x, y;
  static constexpr std::string_view kName = "accumulate";
  Cost cost() const { return {0, bytes_of({x, y, y})}; }
};

namespace ref {
void run(const Fill&), run(const Copy&), run(const ScatterRows&), run(const GatherRows&),
    run(const Add&), run(const Multiply&), run(const Divide&), run(const Scale&),
    run(const ScaleRows&), run(const Accumulate&);
}
namespace cpu {
void run(const Fill&), run(const Copy&), run(const ScatterRows&), run(const GatherRows&),
    run(const Add&), run(const Multiply&), run(const Divide&), run(const Scale&),
    run(const ScaleRows&), run(const Accumulate&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_ELEMENTWISE_H_
