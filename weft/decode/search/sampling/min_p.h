#ifndef WEFT_DECODE_SEARCH_SAMPLING_MIN_P_H_
#define WEFT_DECODE_SEARCH_SAMPLING_MIN_P_H_

#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// The tokens whose probability is at least p times that of the most probable one (Nguyen et al.
// 2024, arXiv 2407.01082).
struct MinP {
  static constexpr std::string_view kName = "min_p";
  double p = 0;

  void operator()(Candidates& candidates) const {
    candidates.sort_best();
    candidates.weigh();
    const auto tokens = candidates.tokens();
    int64_t count = 1;
    while (count < std::ssize(tokens) && tokens[count].weight >= p * tokens[0].weight) ++count;
    candidates.keep_first(count);
  }
  bool is_on() const { return p > 0; }
  void check() const { check_link(kName, p, 0, 1); }
  template <class V>
  void fields(V& v) {
    v("min-p", p,
      {.help = "sample from tokens whose probability is at least this times that of the most "
               "probable one (Nguyen et al. 2024, arXiv 2407.01082); 0: from all",
       .min = 0,
       .max = 1});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_MIN_P_H_
