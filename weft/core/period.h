// Training lengths and intervals: "500" or "500u" updates, "1Gt" target tokens, "10e" epochs. The
// suffixes k, M, G and T are powers of a thousand, as in Marian. 0 means never.
#ifndef WEFT_CORE_PERIOD_H_
#define WEFT_CORE_PERIOD_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

// Updates made, target tokens seen and epochs completed so far.
struct Progress {
  int64_t updates = 0;
  int64_t targets = 0;
  int64_t epochs = 0;
  bool operator==(const Progress&) const = default;
};

struct Period {
  enum class Unit : uint8_t { kUpdates, kTargets, kEpochs };

  int64_t value = 0;
  Unit unit = Unit::kUpdates;

  static constexpr Period updates(int64_t n) { return {n, Unit::kUpdates}; }
  static constexpr Period targets(int64_t n) { return {n, Unit::kTargets}; }
  static constexpr Period epochs(int64_t n) { return {n, Unit::kEpochs}; }

  bool never() const { return value == 0; }
  // The counter in this period's unit.
  int64_t count(const Progress& progress) const;
  // Whether the counter has reached the value; false for a period of 0.
  bool reached(const Progress& progress) const;
  // Whether a multiple of the period lies in (before, after]; false for a period of 0.
  bool passed(const Progress& before, const Progress& after) const;
  // "100000u": parse_period() returns the same period for it.
  std::string text() const;

  bool operator==(const Period&) const = default;
};

// Parses "500", "100Ku", "1.5Gt", "10e". Throws OptionError, prefixed with `where`.
Period parse_period(std::string_view text, std::string_view where);

}  // namespace weft

#endif  // WEFT_CORE_PERIOD_H_
