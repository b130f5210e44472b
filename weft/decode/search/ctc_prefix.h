// The probability that CTC gives all texts which begin with a prefix, token by token (Watanabe et
// al. 2017, "Hybrid CTC/attention architecture for end-to-end speech recognition", algorithm 2).
#ifndef WEFT_DECODE_SEARCH_CTC_PREFIX_H_
#define WEFT_DECODE_SEARCH_CTC_PREFIX_H_

#include <cstdint>
#include <span>
#include <vector>

#include "weft/tensor/tensor.h"

namespace weft::decode {

class CtcPrefixScorer {
 public:
  // A prefix g of tokens.
  struct Prefix {
    int32_t last = -1;  // its last token; -1: none
    // [T] log p of g over the first t + 1 rows, of alignments that end in its last token and in the
    // blank.
    std::vector<double> token, blank;
    double score = 0;  // log p of all texts that begin with g
  };

  CtcPrefixScorer() = default;
  // Of log-probabilities [T, V] F32, T >= 1.
  CtcPrefixScorer(const Tensor& log_probabilities, int32_t blank);

  Prefix start() const;  // no tokens
  // log p(texts that begin with g and c) - log p(texts that begin with g) of each token c [V]; in
  // place of the blank log p(g) less the same, of a text that ends.
  std::vector<double> scores(const Prefix& prefix) const;
  Prefix extend(const Prefix& prefix, int32_t token) const;

 private:
  int64_t rows() const { return std::ssize(probabilities_) / vocab_; }
  double log_probability(int64_t row, int32_t token) const {
    return logs_[static_cast<size_t>(row * vocab_ + token)];
  }
  // log p of g over the rows before t, such that `token` may follow at row t.
  double before(const Prefix& prefix, int64_t t, int32_t token) const;

  int64_t vocab_ = 1;
  int32_t blank_ = 0;
  std::vector<float> logs_, probabilities_;  // [T, V]
};

// log(e^a + e^b), also of -inf.
double log_add(double a, double b);

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_CTC_PREFIX_H_
