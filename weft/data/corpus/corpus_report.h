// What became of the lines of a text that was read.
#ifndef WEFT_DATA_CORPUS_CORPUS_REPORT_H_
#define WEFT_DATA_CORPUS_CORPUS_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace weft::data {

// The lines of one corpus. A line is counted under the first fault found.
struct CorpusReport {
  std::string name;
  int64_t lines = 0;
  int64_t kept = 0;
  int64_t over_long = 0;  // lines over the limit in bytes
  int64_t bad_utf8 = 0;
  int64_t few_columns = 0;
  int64_t empty = 0;             // pairs with a field without tokens
  int64_t too_long = 0;          // pairs with a field over its max_lengths that were left out
  int64_t cropped = 0;           // pairs kept with a field cut to its max_lengths
  std::vector<int64_t> tokens;   // kept, of each field, without end symbols
  std::vector<int64_t> unknown;  // unknown ones among them

  int64_t faults() const { return over_long + bad_utf8 + few_columns + empty + too_long; }
  // "train.en + train.de: 29000 lines, 28996 kept (3 empty, 1 not UTF-8); tokens 380000 + 400000,
  // unknown 0.02 % + 0.5 %"
  std::string text() const;
};

}  // namespace weft::data

#endif  // WEFT_DATA_CORPUS_CORPUS_REPORT_H_
