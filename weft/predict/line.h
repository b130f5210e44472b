// Lines that a person gives to a model, and what may be wrong with them.
#ifndef WEFT_PREDICT_LINE_H_
#define WEFT_PREDICT_LINE_H_

#include <optional>

#include "weft/line.h"

namespace weft::predict {

// Faults with the reason that is the same for all inputs.
Fault too_long_fault();
Fault not_utf8_fault();
Fault not_finite_fault();

// The fault of a line of text: its own, or over data::kMaxLineBytes, or not UTF-8.
std::optional<Fault> fault_of_text(const Line& line);

}  // namespace weft::predict

#endif  // WEFT_PREDICT_LINE_H_
