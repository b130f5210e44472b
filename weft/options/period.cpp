#include "weft/options/period.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "weft/core/error.h"

namespace weft::options {
namespace {

constexpr int64_t kMaxValue = int64_t{1} << 53;  // exact as a double

int64_t scale_of(char suffix) {
  switch (suffix) {
    case 'k':
    case 'K': return 1000;
    case 'M': return 1000 * 1000;
    case 'G': return 1000 * 1000 * 1000;
    case 'T': return int64_t{1000} * 1000 * 1000 * 1000;
    default: return 0;
  }
}

void strip_unit(std::string_view& text, Period::Unit& unit) {
  switch (text.empty() ? '\0' : text.back()) {
    case 'u': unit = Period::Unit::kUpdates; break;
    case 't': unit = Period::Unit::kTargets; break;
    case 'e': unit = Period::Unit::kEpochs; break;
    default: return;
  }
  text.remove_suffix(1);
}

}  // namespace

std::string Period::text() const {
  constexpr std::string_view kLetters = "ute";
  return fmt::format("{}{}", value, kLetters[static_cast<size_t>(unit)]);
}

Period parse_period(std::string_view text, std::string_view where) {
  Period out;
  std::string_view digits = text;
  strip_unit(digits, out.unit);
  const int64_t scale = digits.empty() ? 0 : scale_of(digits.back());
  if (scale != 0) digits.remove_suffix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                           std::chars_format::fixed);
  const bool is_number = code == std::errc() && end == digits.data() + digits.size() &&
                         std::isfinite(value) && value >= 0;
  value *= static_cast<double>(scale == 0 ? 1 : scale);
  const double whole = std::round(value);  // 4.35k is 4349.999... in binary
  if (!is_number || value > static_cast<double>(kMaxValue) ||
      std::abs(value - whole) > 1e-12 * value)
    fail<OptionError>(where,
                      "not a period; expected a whole number of u (updates), t (target tokens) "
                      "or e (epochs) such as 500u, 1Gt or 10e, got {}",
                      quote(text));
  out.value = static_cast<int64_t>(whole);
  return out;
}

}  // namespace weft::options
