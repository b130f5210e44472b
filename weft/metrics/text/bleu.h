// Corpus BLEU (Papineni et al. 2002), equal to sacreBLEU's (Post 2018, arXiv:1804.08771).
#ifndef WEFT_METRICS_TEXT_BLEU_H_
#define WEFT_METRICS_TEXT_BLEU_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/metrics/statistics.h"
#include "weft/metrics/text/tokenize.h"

namespace weft::metrics {

// Smoothing of zero precisions (Chen and Cherry 2014).
enum class Smoothing {
  kExponential,  // 1/2, 1/4, ... of a match, as in mteval-v13a: the default
  kFloor,        // 0.1 of a match
  kAddOne,       // adds 1 to the counts of all orders above 1
  kNone
};

struct BleuOptions {
  Tokenizer tokenizer = Tokenizer::k13a;
  Smoothing smoothing = Smoothing::kExponential;
  bool lowercase = false;
  bool effective_order = false;  // only orders up to the hypothesis length; for single lines
};

struct BleuScore {
  static constexpr int kOrder = 4;

  double score = 0;                         // 0..100
  std::array<int64_t, kOrder> matches{};    // matching n-grams of order 1..4
  std::array<int64_t, kOrder> totals{};     // n-grams of the hypotheses
  std::array<double, kOrder> precisions{};  // per cent, smoothed
  double brevity_penalty = 1;
  int64_t hypothesis_length = 0;  // tokens
  int64_t reference_length = 0;   // tokens of the reference nearest in length, summed over lines

  // "BLEU = 35.12 68.1/43.2/29.0/19.7 (BP = 0.970 ratio = 0.970 hyp_len = 100 ref_len = 103)"
  std::string text() const;
};

// BLEU of `hypotheses` against references[r][line]. Throws FormatError if there are no lines or no
// references, or if the numbers of lines differ.
BleuScore corpus_bleu(std::span<const std::string> hypotheses,
                      std::span<const std::vector<std::string>> references,
                      const BleuOptions& options = {});

// The lengths and counts of each line; the score is BLEU. Throws as corpus_bleu() does.
Statistics bleu_statistics(std::span<const std::string> hypotheses,
                           std::span<const std::vector<std::string>> references,
                           const BleuOptions& options = {});

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:weft-0.1.0": the fields of sacreBLEU's
// signature, with Weft's version.
std::string bleu_signature(const BleuOptions& options, size_t references);

}  // namespace weft::metrics

#endif  // WEFT_METRICS_TEXT_BLEU_H_
