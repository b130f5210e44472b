#ifndef WEFT_DECODE_SEARCH_SAMPLING_TOP_N_SIGMA_H_
#define WEFT_DECODE_SEARCH_SAMPLING_TOP_N_SIGMA_H_

#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// The tokens whose logits are at most n standard deviations of all logits below the largest one
// (Tang et al. 2024, arXiv 2411.07641).
struct TopNSigma {
  static constexpr std::string_view kName = "top_n_sigma";
  double n = 0;

  void operator()(Candidates& candidates) const {
    candidates.keep_above(candidates.largest_logit() - n * candidates.logit_deviation());
  }
  bool is_on() const { return n > 0; }
  void check() const { check_link(kName, n, 0, 1e9); }
  template <class V>
  void fields(V& v) {
    v("top-n-sigma", n,
      {.help = "sample from tokens whose logits are at most this many standard deviations of all "
               "logits below the largest (Tang et al. 2024, arXiv 2411.07641); 0: from all",
       .min = 0,
       .max = 1000,
       .alias = "top-nsigma"});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_TOP_N_SIGMA_H_
