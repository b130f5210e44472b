// Attention within neighbouring blocks and to the first rows (BigBird, Zaheer et al. 2020, arXiv
// 2007.14062, without its random blocks).
#ifndef WEFT_NN_ATTENTION_KINDS_BLOCK_SPARSE_H_
#define WEFT_NN_ATTENTION_KINDS_BLOCK_SPARSE_H_

#include "weft/nn/attention/dot_product.h"

namespace weft::nn {

// The size of the blocks that several kinds cut rows into.
template <class V>
void block_field(V& v, int64_t& block) {
  v("attention-block", block,
    {.help = "rows of a block of block-sparse or sinkhorn attention; required for them",
     .min = 0,
     .max = 1048576});
}

struct BlockSparseOptions {
  static constexpr std::string_view kName = "block-sparse";
  static constexpr std::string_view kHelp =
      "those of its own and the adjacent blocks of --attention-block rows, and the first "
      "--attention-global rows, which see all (Zaheer et al. 2020)";
  static constexpr AttentionLimits kLimits = {};

  int64_t block = 0;
  int64_t global = 0;

  template <class V>
  void fields(V& v) {
    block_field(v, block);
    v("attention-global", global,
      {.help = "rows that see all and are seen by all in block-sparse attention",
       .min = 0,
       .max = 1048576});
  }
  // Throws OptionError.
  void check() const { check_given(kName, "--attention-block", block); }
  DotProductAttention make(const AttentionDims&) const {
    return {{.window = 1, .block = block, .global = global}};
  }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_BLOCK_SPARSE_H_
