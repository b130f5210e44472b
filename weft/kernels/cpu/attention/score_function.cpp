#include "weft/kernels/score_function.h"

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

void run(const AttentionProbabilities& k) {
  if (!is_fast(k.s)) return ref::run(k);
  for_each_row(k.s.rows, 16 * k.s.cols, [&](int64_t i) {
    std::vector<float> row = floats_of(k.s, i);
    ref::to_probabilities(k.function, std::span(row));
    write(row, k.p, i);
  });
}

void run(const AttentionProbabilitiesBackward& k) {
  if (!is_fast(k.s)) return ref::run(k);
  for_each_row(k.s.rows, 16 * k.s.cols, [&](int64_t i) {
    const std::vector<float> scores = floats_of(k.s, i), p = floats_of(k.p, i);
    std::vector<float> gradient = floats_of(k.d_p, i);
    ref::d_to_probabilities(k.function, std::span(p), ref::attended_keys(std::span(scores)),
                            std::span(gradient));
    write(gradient, k.d_s, i);
  });
}

}  // namespace weft::kernels::cpu
