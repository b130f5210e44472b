#include "weft/kernels/cpu/batch_norm.h"

#include <array>
#include <cmath>

#include "weft/kernels/cpu/rows.h"

namespace weft::kernels::cpu {
namespace {

// Columns that are summed together; each is one thread's, its rows in order.
constexpr int64_t kColumns = 32;
using Sums = std::array<double, kColumns>;

// Calls body(type, begin, end) on ranges of at most kColumns columns.
template <class Body>
void for_columns(const View& x, Body body) {
  const int64_t groups = (x.cols + kColumns - 1) / kColumns;
  parallel_rows(groups, kColumns * x.rows, [&](int64_t first, int64_t last) {
    for (int64_t g = first; g < last; ++g) {
      const int64_t begin = g * kColumns, end = std::min(x.cols, begin + kColumns);
      if (x.dtype == DType::kBF16) {
        body(BF16(), begin, end);
      } else {
        body(float(), begin, end);
      }
    }
  });
}

float inverse_of(const View& stats, int64_t column, double epsilon) {
  return 1 / std::sqrt(stats.as<float>().row(1)[column] + static_cast<float>(epsilon));
}

}  // namespace

void column_moments(View x, View stats) {
  for_columns(x, [&]<class T>(T, int64_t begin, int64_t end) {
    const Matrix<T> from = x.as<T>();
    const double share = 1 / static_cast<double>(x.rows);
    Sums mean{}, squares{};
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        mean[f - begin] += static_cast<float>(from.row(n)[f]);
      }
    }
    for (double& m : mean) m *= share;
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const double centred = static_cast<float>(from.row(n)[f]) - mean[f - begin];
        squares[f - begin] += centred * centred;
      }
    }
    for (int64_t f = begin; f < end; ++f) {
      stats.as<float>().row(0)[f] = static_cast<float>(mean[f - begin]);
      stats.as<float>().row(1)[f] = static_cast<float>(squares[f - begin] * share);
    }
  });
}

void batch_norm(const Norm& norm) {
  for_columns(norm.x, [&]<class T>(T, int64_t begin, int64_t end) {
    const Matrix<T> x = norm.x.as<T>(), y = norm.y.as<T>();
    std::array<float, kColumns> slope, offset;
    for (int64_t f = begin; f < end; ++f) {
      slope[f - begin] =
          inverse_of(norm.stats, f, norm.epsilon) * static_cast<float>(norm.gamma.as<T>().data[f]);
      offset[f - begin] = static_cast<float>(norm.beta.as<T>().data[f]);
    }
    const float* mean = norm.stats.as<float>().row(0);
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const float centred = static_cast<float>(x.row(n)[f]) - mean[f];
        y.row(n)[f] = T(centred * slope[f - begin] + offset[f - begin]);
      }
    }
  });
}

void d_batch_norm(const BatchNormGradient& g) {
  for_columns(g.x, [&]<class T>(T, int64_t begin, int64_t end) {
    const Matrix<T> x = g.x.as<T>(), d_y = g.d_y.as<T>(), d_x = g.d_x.as<T>();
    const float* mean = g.stats.as<float>().row(0);
    std::array<float, kColumns> inverse;
    for (int64_t f = begin; f < end; ++f) inverse[f - begin] = inverse_of(g.stats, f, g.epsilon);
    const auto normal = [&](int64_t n, int64_t f) {
      return (static_cast<float>(x.row(n)[f]) - mean[f]) * inverse[f - begin];
    };
    Sums sum{}, dot{};
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const auto d = static_cast<float>(d_y.row(n)[f]);
        sum[f - begin] += d;
        dot[f - begin] += d * normal(n, f);
      }
    }
    for (int64_t f = begin; f < end; ++f) {
      g.d_gamma.as<float>().data[f] += static_cast<float>(dot[f - begin]);
      g.d_beta.as<float>().data[f] += static_cast<float>(sum[f - begin]);
    }
    const double share = g.is_fixed ? 0 : 1 / static_cast<double>(x.rows);
    for (int64_t n = 0; n < x.rows; ++n) {
      for (int64_t f = begin; f < end; ++f) {
        const auto through =
            static_cast<float>(share * (sum[f - begin] + normal(n, f) * dot[f - begin]));
        const float slope = static_cast<float>(g.gamma.as<T>().data[f]) * inverse[f - begin];
        d_x.row(n)[f] = T(slope * (static_cast<float>(d_y.row(n)[f]) - through));
      }
    }
  });
}

}  // namespace weft::kernels::cpu
