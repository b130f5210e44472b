#include "weft/predict/line.h"

#include "weft/core/text/utf8.h"
#include "weft/data/text/text_file.h"
#include "weft/predict/not_finite.h"

namespace weft::predict {

Fault Fault::too_long() { return {FaultKind::kTooLong, "the line is too long"}; }
Fault Fault::not_utf8() { return {FaultKind::kNotUtf8, "not UTF-8"}; }
Fault Fault::not_finite() { return {FaultKind::kNotFinite, std::string(kNotFiniteText)}; }

std::optional<Fault> fault_of_text(const Line& line) {
  if (line.fault) return line.fault;
  if (line.text.size() > data::kMaxLineBytes) return Fault::too_long();
  if (!valid_utf8(line.text)) return Fault::not_utf8();
  return std::nullopt;
}

}  // namespace weft::predict
