#include "weft/kernels/score_function.h"

#include "weft/kernels/ref/elements.h"
#include "weft/kernels/ref/score_function.h"

namespace weft::kernels::ref {

void run(const AttentionProbabilities& k) {
  visit(k.kName, k.s, [&]<class T>(T) {
    const auto s = k.s.as<T>(), p = k.p.as<T>();
    for (int64_t i = 0; i < s.rows; ++i) {
      if (p.row(i) != s.row(i)) std::copy_n(s.row(i), s.cols, p.row(i));
      to_probabilities(k.function, std::span(p.row(i), static_cast<size_t>(s.cols)));
    }
  });
}

void run(const AttentionProbabilitiesBackward& k) {
  visit(k.kName, k.s, [&]<class T>(T) {
    const auto s = k.s.as<T>(), p = k.p.as<T>(), d_p = k.d_p.as<T>(), d_s = k.d_s.as<T>();
    const auto cols = static_cast<size_t>(s.cols);
    for (int64_t i = 0; i < s.rows; ++i) {
      if (d_s.row(i) != d_p.row(i)) std::copy_n(d_p.row(i), s.cols, d_s.row(i));
      d_to_probabilities(k.function, std::span<const T>(p.row(i), cols),
                         attended_keys(std::span<const T>(s.row(i), cols)),
                         std::span(d_s.row(i), cols));
    }
  });
}

}  // namespace weft::kernels::ref
