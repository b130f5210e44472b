// Attention to nearby rows (Longformer, Beltagy et al. 2020, arXiv 2004.05150).
#ifndef WEFT_NN_ATTENTION_KINDS_LOCAL_H_
#define WEFT_NN_ATTENTION_KINDS_LOCAL_H_

#include <algorithm>

#include "weft/nn/attention/dot_product.h"

namespace weft::nn {

struct LocalAttentionOptions {
  static constexpr std::string_view kName = "local";
  static constexpr std::string_view kHelp =
      "those at most --attention-window away (Beltagy et al. 2020), in a picture in rows and in "
      "columns";
  static constexpr AttentionLimits kLimits = {};

  int64_t window = 0;
  FullLayers full_layers = {};

  template <class V>
  void fields(V& v) {
    v("attention-window", window,
      {.help = "rows on each side in local attention; required for it", .min = 0, .max = 1048576});
    v("attention-full-every", full_layers.every,
      {.help = "every n-th layer has full attention, the others local attention; 0: no layer has",
       .min = 0,
       .max = 1000,
       .omitted_if = "0"});
    v("attention-full-first", full_layers.first,
      {.help = "the first of the layers with full attention, from 1 to --attention-full-every",
       .min = 1,
       .max = 1000,
       .omitted_if = "1"});
    v("attention-full-lowest", full_layers.lowest,
      {.help = "the lowest n layers have full attention too",
       .min = 0,
       .max = 1000,
       .omitted_if = "0"});
  }
  // Throws OptionError.
  void check() const {
    check_given(kName, "--attention-window", window);
    if (full_layers.first <= std::max<int64_t>(full_layers.every, 1)) return;
    fail<OptionError>("--attention-full-first",
                      "layer {} is beyond the first {}; expected at most --attention-full-every",
                      full_layers.first, full_layers.every);
  }
  DotProductAttention make(const AttentionDims&) const { return {{.window = window}}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_LOCAL_H_
