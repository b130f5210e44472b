// Scores of texts beside references.
#ifndef WEFT_EVALUATE_H_
#define WEFT_EVALUATE_H_

#include <span>
#include <string>
#include <vector>

#include "weft/export.h"
#include "weft/options.h"

namespace weft {

struct TextMetric {
  std::string name;  // "BLEU"
  double score = 0;
  std::string signature;  // sacreBLEU's, of BLEU and chrF; else empty
  std::string text;       // "BLEU = 35.12 ..."
};

// Each metric of all hypotheses together; references[r] has one text for each of them. Options, as
// of `weft evaluate`: `metrics` (bleu and chrf, exact-match, word-error-rate,
// character-error-rate, rouge1, rouge2, rougeL, and aer of word alignments), `tokenize`,
// `lowercase`, `chrf-word-order`, `undo-bpe`.
//
// Throws OptionError, and FormatError for no text and for another number of references.
WEFT_API std::vector<TextMetric> evaluate(std::span<const std::string> hypotheses,
                                          std::span<const std::vector<std::string>> references,
                                          const Options& options = {});

}  // namespace weft

#endif  // WEFT_EVALUATE_H_
