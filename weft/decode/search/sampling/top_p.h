#ifndef WEFT_DECODE_SEARCH_SAMPLING_TOP_P_H_
#define WEFT_DECODE_SEARCH_SAMPLING_TOP_P_H_

#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// The fewest most probable tokens that have p of the mass, one at least (nucleus sampling, Holtzman
// et al. 2020, arXiv 1904.09751).
struct TopP {
  static constexpr std::string_view kName = "top_p";
  double p = 1;

  void operator()(Candidates& candidates) const {
    candidates.sort_best();
    const double wanted = p * candidates.weigh();
    double mass = 0;
    int64_t count = 0;
    for (const Candidates::Token& t : candidates.tokens()) {
      if (count > 0 && mass >= wanted) break;
      mass += t.weight;
      ++count;
    }
    candidates.keep_first(count);
  }
  bool is_on() const { return p < 1; }
  void check() const { check_link(kName, p, 0, 1); }
  template <class V>
  void fields(V& v) {
    v("top-p", p,
      {.help = "sample from the fewest most probable tokens whose probabilities, of those that "
               "--top-k leaves, have this sum (nucleus sampling, Holtzman et al. 2020, arXiv "
               "1904.09751); 1: from all",
       .min = 0,
       .max = 1});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_TOP_P_H_
