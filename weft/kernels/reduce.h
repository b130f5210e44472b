// Reductions. The order of summation does not depend on the number of threads.
#ifndef WEFT_KERNELS_REDUCE_H_
#define WEFT_KERNELS_REDUCE_H_

#include "weft/kernels/cost.h"

namespace weft::kernels {

// y [1, D] += sum over rows of x.
struct ColumnSum {
  View x, y;
  static constexpr std::string_view kName = "column_sum";
  Cost cost() const { return {0, bytes_of({x, y})}; }
};

// In double.
struct SumOfSquares {
  View x;
  double* sum;
  static constexpr std::string_view kName = "sum_of_squares";
  Cost cost() const { return {0, bytes_of({x})}; }
};

// index[n] is the column of the maximum of row n, the first on ties.
struct RowArgmax {
  View x;
  int32_t* index;
  static constexpr std::string_view kName = "row_argmax";
  Cost cost() const { return {0, bytes_of({x})}; }
};

namespace ref {
void run(const ColumnSum&), run(const SumOfSquares&), run(const RowArgmax&);
}
namespace cpu {
void run(const ColumnSum&), run(const SumOfSquares&), run(const RowArgmax&);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_H_
