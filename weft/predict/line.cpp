#include "weft/predict/line.h"

#include "weft/core/text/utf8.h"
#include "weft/data/text/text_file.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {

Fault too_long_fault() { return {FaultKind::kTooLong, "the line is too long"}; }
Fault not_utf8_fault() { return {FaultKind::kNotUtf8, "not UTF-8"}; }
Fault not_finite_fault() { return {FaultKind::kNotFinite, std::string(kNotFiniteText)}; }

std::optional<Fault> fault_of_text(const Line& line) {
  if (line.fault) return line.fault;
  if (line.text.size() > data::kMaxLineBytes) return too_long_fault();
  if (!valid_utf8(line.text)) return not_utf8_fault();
  return std::nullopt;
}

}  // namespace weft::predict
