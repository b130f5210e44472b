// Scores that are infinite or NaN, such as those of a model whose weights are not finite. An input
// with such scores has no result (FaultKind::kNotFinite), other inputs keep their results, and the
// command ends with status 1.
#ifndef WEFT_PREDICT_NOT_FINITE_H_
#define WEFT_PREDICT_NOT_FINITE_H_

#include <span>
#include <string_view>

namespace weft::predict {

inline constexpr std::string_view kNotFiniteText = "the model's scores are not finite numbers";

bool is_finite(std::span<const float> scores);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_NOT_FINITE_H_
