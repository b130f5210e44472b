// Word and character error rates of transcripts.
#ifndef WEFT_METRICS_TEXT_ERROR_RATE_H_
#define WEFT_METRICS_TEXT_ERROR_RATE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/statistics.h"

namespace weft::metrics {

// Substitutions, insertions and deletions of the cheapest alignments (Levenshtein 1966), over
// all references.
struct ErrorRate {
  int64_t errors = 0;
  int64_t length = 0;  // of the references, in words or characters

  // errors / length; of no reference 0 without errors, else 1.
  double value() const;
};

// Words are what stands between white space; characters are code points, spaces included. Throws
// FormatError unless there are as many hypotheses as references.
ErrorRate word_error_rate(std::span<const std::string> hypotheses,
                          std::span<const std::string> references);
ErrorRate character_error_rate(std::span<const std::string> hypotheses,
                               std::span<const std::string> references);

// The errors and the length of each text; the score is the rate.
Statistics word_error_statistics(std::span<const std::string> hypotheses,
                                 std::span<const std::string> references);
Statistics character_error_statistics(std::span<const std::string> hypotheses,
                                      std::span<const std::string> references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_ERROR_RATE_H_
