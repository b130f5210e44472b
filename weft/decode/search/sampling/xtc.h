#ifndef WEFT_DECODE_SEARCH_SAMPLING_XTC_H_
#define WEFT_DECODE_SEARCH_SAMPLING_XTC_H_

#include "weft/core/random.h"
#include "weft/decode/search/sampling/candidates.h"
#include "weft/options/fields.h"

namespace weft::decode {

// Exclude top choices, with a probability: of the tokens that have at least `threshold` of the mass
// only the least probable stays (P. E. Weidmann 2024,
// github.com/oobabooga/text-generation-webui/pull/6335).
struct Xtc {
  static constexpr std::string_view kName = "xtc";
  double probability = 0, threshold = 0.1;

  void operator()(Candidates& candidates, RandomStream& random) const {
    if (random.uniform() >= probability) return;
    candidates.sort_best();
    const double least = threshold * candidates.weigh();
    const auto tokens = candidates.tokens();
    int64_t count = 0;
    while (count < std::ssize(tokens) && tokens[count].weight >= least) ++count;
    if (count > 1) candidates.drop_first(count - 1);
  }
  bool is_on() const { return probability > 0; }
  void check() const {
    check_link("xtc.probability", probability, 0, 1);
    check_link("xtc.threshold", threshold, 0, 1);
  }
  // Throws OptionError for a threshold that nothing reads.
  void validate() const;
  template <class V>
  void fields(V& v) {
    v("xtc-probability", probability,
      {.help = "how often all but the least probable of the tokens above --xtc-threshold are left "
               "out; 0: never",
       .min = 0,
       .max = 1});
    v("xtc-threshold", threshold,
      {.help = "probability from which --xtc-probability may leave a token out",
       .min = 0,
       .max = 1});
  }
};

}  // namespace weft::decode

#endif  // WEFT_DECODE_SEARCH_SAMPLING_XTC_H_
