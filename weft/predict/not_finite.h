// Scores that are not numbers, as a model's whose weights are not: a line with such scores has no
// result, the lines beside it have theirs, and the command ends with status 1.
#ifndef WEFT_PREDICT_NOT_FINITE_H_
#define WEFT_PREDICT_NOT_FINITE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::predict {

inline constexpr std::string_view kNotFinite = "the model's scores are not finite numbers";

bool is_finite(std::span<const float> scores);

// Lines without a result.
struct NotFiniteLines {
  int64_t count = 0;
  int64_t first = 0;  // its number, from 1

  void add(int64_t number) {
    if (count++ == 0 || number < first) first = number;
  }
};
// "whose scores are not finite numbers (left empty; the first is number 7)"
std::string text_of(const NotFiniteLines& lines);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_NOT_FINITE_H_
