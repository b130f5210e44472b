// What happened to the lines of a translated text.
#ifndef WEFT_PREDICT_TRANSLATION_TEXT_REPORT_H_
#define WEFT_PREDICT_TRANSLATION_TEXT_REPORT_H_

#include <cstdint>
#include <string>

#include "weft/predict/not_finite.h"

namespace weft::predict {

// Counts of lines.
struct TextReport {
  int64_t lines = 0;
  int64_t empty = 0;         // no token; the translation is empty
  int64_t over_long = 0;     // over the limit in bytes; the translation is empty
  int64_t bad_utf8 = 0;      // the translation is empty
  int64_t split = 0;         // over the length limit: translated in pieces, split at sentence ends
  int64_t cropped = 0;       // with a sentence over the length limit, which lost its end
  int64_t unfinished = 0;    // the translation was cut off at its length limit
  int64_t incomplete = 0;    // the translation lacks a phrase of its constraints
  int64_t with_unknown = 0;  // with a token that the vocabulary does not have
  NotFiniteLines not_finite = {};

  int64_t source_tokens = 0;  // read by the model, end symbols included
  int64_t output_tokens = 0;  // of all hypotheses written, with an end symbol for each that ended

  // Problems, several of which one line can have; empty lines and unknown tokens are none.
  int64_t faults() const {
    return over_long + bad_utf8 + split + cropped + unfinished + incomplete + not_finite.count;
  }
  // "120 lines: 2 empty, 1 not UTF-8 (left empty), 3 with unknown tokens"
  std::string text() const;
};

}  // namespace weft::predict

#endif  // WEFT_PREDICT_TRANSLATION_TEXT_REPORT_H_
