// Corpus chrF (Popović 2015) and chrF++ (Popović 2017), equal to sacreBLEU's.
#ifndef WEFT_METRICS_TEXT_CHRF_H_
#define WEFT_METRICS_TEXT_CHRF_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/statistics.h"

namespace weft::metrics {

struct ChrfOptions {
  int char_order = 6;  // longest character n-gram, 1..
  int word_order = 0;  // longest word n-gram; 2 makes it chrF++
  int beta = 2;        // weight of recall relative to precision
  bool lowercase = false;
};

struct ChrfScore {
  double score = 0;  // 0..100
  ChrfOptions options;

  std::string name() const;  // "chrF2", "chrF2++"
  std::string text() const;  // "chrF2 = 60.00"
};

// chrF of `hypotheses` against references[r][line]; of several references, each line uses the one
// with the best score. Whitespace is removed from character n-grams. An order without n-grams in
// hypothesis or reference is excluded from the mean. Throws FormatError if there are no lines or no
// references, or if the numbers of lines differ; OptionError unless char_order and beta are at
// least 1 and word_order is at least 0.
ChrfScore corpus_chrf(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const ChrfOptions& options = {});

// The n-gram counts of each line and its best reference; the score is chrF. Throws as corpus_chrf()
// does.
Statistics chrf_statistics(std::span<const std::string> hypotheses,
                           std::span<const std::vector<std::string>> references,
                           const ChrfOptions& options = {});

// "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:weft-0.1.0": the fields of sacreBLEU's
// signature, with Weft's version.
std::string chrf_signature(const ChrfOptions& options, size_t references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_CHRF_H_
