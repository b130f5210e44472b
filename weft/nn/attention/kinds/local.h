// Attention to nearby rows (Longformer, Beltagy et al. 2020, arXiv 2004.05150).
#ifndef WEFT_NN_ATTENTION_KINDS_LOCAL_H_
#define WEFT_NN_ATTENTION_KINDS_LOCAL_H_

#include "weft/nn/attention/dot_product.h"

namespace weft::nn {

struct LocalAttentionOptions {
  static constexpr std::string_view kName = "local";
  static constexpr std::string_view kHelp =
      "those at most --attention-window away (Beltagy et al. 2020), in a picture in rows and in "
      "columns";
  static constexpr AttentionLimits kLimits = {};

  int64_t window = 0;

  template <class V>
  void fields(V& v) {
    v("attention-window", window,
      {.help = "rows on each side in local attention; required for it", .min = 0, .max = 1048576});
  }
  // Throws OptionError.
  void check() const { check_given(kName, "--attention-window", window); }
  DotProductAttention make(const AttentionDims&) const { return {{.window = window}}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_LOCAL_H_
