// The texts that a CTC output layer spells, and where it spells their tokens.
#ifndef WEFT_DECODE_SEARCH_CTC_SEARCH_H_
#define WEFT_DECODE_SEARCH_CTC_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/decode/search/hypothesis.h"
#include "weft/tensor/tensor.h"

namespace weft::decode {

struct CtcSearch {
  int32_t blank = 0;
  int64_t beam_size = 1;                // prefixes that are kept at each row
  std::vector<int32_t> forbidden = {};  // tokens that no text may hold
};

// The beam_size best texts of log-probabilities [T, V] F32 by prefix search, the best first (Graves
// 2008; Hannun et al. 2014, arXiv 1408.2873). With a beam of 1 the text of the best alignment,
// whose log_probability is that of this alignment.
NBest search_ctc(const Tensor& log_probabilities, const CtcSearch& search);

// The rows [begin, end) in which the most probable alignment of `tokens` has each of them; empty
// where no alignment is possible (Viterbi's algorithm).
struct TokenRows {
  int64_t begin = 0, end = 0;
};
std::vector<TokenRows> align_ctc(const Tensor& log_probabilities, std::span<const int32_t> tokens,
                                 int32_t blank);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_CTC_SEARCH_H_
