// Products for conditional random fields, in double.
#ifndef WEFT_KERNELS_CPU_CRF_PRODUCTS_H_
#define WEFT_KERNELS_CPU_CRF_PRODUCTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::kernels::cpu {

// Vectors of C elements are padded to a multiple of 8, whole registers.
constexpr int64_t padded_labels(int64_t labels) { return (labels + 7) / 8 * 8; }

// A matrix [rows, cols] with stride padded_labels(cols).
struct CrfMatrix {
  int64_t rows = 0, stride = 0;
  std::vector<double> values;

  CrfMatrix() = default;
  CrfMatrix(int64_t row_count, int64_t cols, double value)
      : rows(row_count),
        stride(padded_labels(cols)),
        values(static_cast<size_t>(rows * stride), value) {}
  double* row(int64_t i) { return values.data() + i * stride; }
  const double* row(int64_t i) const { return values.data() + i * stride; }
};

// y[j] = sum_i x[i] m[i, j].
void crf_multiply(const double* x, const CrfMatrix& m, double* y);

// m[i, j] += sum_t x[t, i] z[t + 1, j] over all rows of z except the first; m [C, C].
void crf_add_products(const CrfMatrix& x, const CrfMatrix& z, CrfMatrix& m);

// best[j] = max_i x[i] + m[i, j]; index[j] is the first maximising i. -infinity and 0 if there is
// none.
void crf_max_plus(const double* x, const CrfMatrix& m, double* best, int32_t* index);

}  // namespace weft::kernels::cpu

#endif  // WEFT_KERNELS_CPU_CRF_PRODUCTS_H_
