// What a search finds.
#ifndef WEFT_DECODE_HYPOTHESIS_H_
#define WEFT_DECODE_HYPOTHESIS_H_

#include <cstdint>
#include <vector>

namespace weft::decode {

struct Hypothesis {
  std::vector<int32_t> tokens;  // without the end symbol
  double log_probability = 0;   // of all tokens, and of the end symbol or length, if predicted
  double score = 0;             // log_probability over the length penalty, plus that for coverage
  bool ended = true;            // false: cut off, without the end symbol
  bool is_complete = true;      // false: cut off before it held all phrases asked for
  // log p of each token, and of the end symbol where there is one; they sum up to log_probability.
  std::vector<double> token_scores = {};
};

// Hypotheses of one sentence, the best score first; equals in the order they were found.
using NBest = std::vector<Hypothesis>;

}  // namespace weft::decode

#endif  // WEFT_DECODE_HYPOTHESIS_H_
