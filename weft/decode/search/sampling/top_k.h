#ifndef WEFT_DECODE_SEARCH_SAMPLING_TOP_K_H_
#define WEFT_DECODE_SEARCH_SAMPLING_TOP_K_H_

#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// The k most probable tokens (Fan et al. 2018, arXiv 1805.04833).
struct TopK {
  static constexpr std::string_view kName = "top_k";
  int64_t k = 0;

  void operator()(Candidates& candidates) const { candidates.keep_best(k); }
  bool is_on() const { return k > 0; }
  void check() const { check_link(kName, static_cast<double>(k), 1, 1e9); }
  template <class V>
  void fields(V& v) {
    v("top-k", k,
      {.help =
           "sample from this many tokens, the most probable ones; 0: from all (Fan et al. 2018, "
           "arXiv 1805.04833)",
       .min = 0,
       .max = 1e6});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_TOP_K_H_
