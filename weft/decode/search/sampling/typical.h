#ifndef WEFT_DECODE_SEARCH_SAMPLING_TYPICAL_H_
#define WEFT_DECODE_SEARCH_SAMPLING_TYPICAL_H_

#include <cmath>

#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// Locally typical sampling (Meister et al. 2022, arXiv 2202.00666): the tokens whose -log p is
// nearest to the entropy, as few as have more than p of the mass.
struct Typical {
  static constexpr std::string_view kName = "typical_p";
  double p = 1;

  void operator()(Candidates& candidates) const {
    candidates.sort_best();
    const double sum = candidates.weigh();
    double entropy = 0;
    for (const Candidates::Token& t : candidates.tokens()) {
      if (t.weight > 0) entropy -= t.weight / sum * std::log(t.weight / sum);
    }
    candidates.sort_by(
        [&](const Candidates::Token& t) { return std::abs(-std::log(t.weight / sum) - entropy); });
    double mass = 0;
    int64_t count = 0;
    for (const Candidates::Token& t : candidates.tokens()) {
      mass += t.weight;
      ++count;
      if (mass > p * sum) break;
    }
    candidates.keep_first(count);
  }
  bool is_on() const { return p < 1; }
  void check() const { check_link(kName, p, 0, 1); }
  template <class V>
  void fields(V& v) {
    v("typical-p", p,
      {.help = "sample from the tokens whose -log p is nearest to the entropy, as few as have more "
               "than this of the probability (Meister et al. 2022, arXiv 2202.00666); 1: from all",
       .min = 0,
       .max = 1,
       .alias = "typical"});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_TYPICAL_H_
