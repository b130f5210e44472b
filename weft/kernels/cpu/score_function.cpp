#include "weft/kernels/cpu/score_function.h"

#include <vector>

#include "weft/kernels/cpu/rows.h"
#include "weft/kernels/ref/score_function.h"

namespace weft::kernels::cpu {
namespace {

std::vector<float> floats_of(const View& x, int64_t row) {
  std::vector<float> out(static_cast<size_t>(x.cols));
  for (int64_t j = 0; j < x.cols; ++j) {
    out[j] = x.dtype == DType::kBF16 ? static_cast<float>(x.as<BF16>().row(row)[j])
                                     : x.as<float>().row(row)[j];
  }
  return out;
}

void write(const std::vector<float>& from, const View& y, int64_t row) {
  for (int64_t j = 0; j < y.cols; ++j) {
    if (y.dtype == DType::kBF16) {
      y.as<BF16>().row(row)[j] = BF16(from[j]);
    } else {
      y.as<float>().row(row)[j] = from[j];
    }
  }
}

}  // namespace

void score_weights(ScoreFunction function, View s, View p) {
  parallel_rows(s.rows, 16 * s.cols, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::vector<float> row = floats_of(s, i);
      ref::weigh(function, std::span(row));
      write(row, p, i);
    }
  });
}

void d_score_weights(ScoreFunction function, View s, View p, View d_p, View d_s) {
  parallel_rows(s.rows, 16 * s.cols, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::vector<float> scores = floats_of(s, i), weights = floats_of(p, i);
      std::vector<float> gradient = floats_of(d_p, i);
      ref::d_weigh(function, std::span(weights), ref::seen_keys(std::span(scores)),
                   std::span(gradient));
      write(gradient, d_s, i);
    }
  });
}

}  // namespace weft::kernels::cpu
