// Training lengths and intervals: "500" or "500u" updates, "1Gt" target tokens, "10e" epochs. The
// suffixes k, M, G and T are powers of a thousand, as in Marian. 0 means never.
#ifndef WEFT_OPTIONS_PERIOD_H_
#define WEFT_OPTIONS_PERIOD_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::options {

struct Period {
  enum class Unit : uint8_t { kUpdates, kTargets, kEpochs };

  int64_t value = 0;
  Unit unit = Unit::kUpdates;

  static constexpr Period updates(int64_t n) { return {n, Unit::kUpdates}; }
  static constexpr Period targets(int64_t n) { return {n, Unit::kTargets}; }
  static constexpr Period epochs(int64_t n) { return {n, Unit::kEpochs}; }

  bool never() const { return value == 0; }
  // "100000u": parse_period() returns the same period for it.
  std::string text() const;

  bool operator==(const Period&) const = default;
};

// Parses "500", "100Ku", "1.5Gt", "10e". Throws OptionError, prefixed with `where`.
Period parse_period(std::string_view text, std::string_view where);

}  // namespace weft::options

#endif  // WEFT_OPTIONS_PERIOD_H_
