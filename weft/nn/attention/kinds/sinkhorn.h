// Attention to sorted blocks (Sparse Sinkhorn Attention, Tay et al. 2020, arXiv 2002.11296).
#ifndef WEFT_NN_ATTENTION_KINDS_SINKHORN_H_
#define WEFT_NN_ATTENTION_KINDS_SINKHORN_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/kinds/block_sparse.h"
#include "weft/nn/attention/self_input.h"

namespace weft::nn {

// A row attends to the rows of its own block of b and to one block that is sorted beside it: of m
// blocks,
//   R_ij = mean(q of block i) . mean(k of block j) / sqrt(K),   S = sinkhorn(R),
// the sorted keys and values of block i being sum_j S_ij block j; S is nearly a permutation after
// `steps` rounds (weft/ops/fused/sinkhorn.h). The last block is padded with zeros to b rows. A
// sequence of one block has full attention. Not causal: a block's mean depends on its later rows.
struct SinkhornAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;
  static int64_t dropout_streams(int64_t heads) { return heads; }

  int64_t block = 64;
  int64_t steps = 5;

  // Throws ShapeError where the rows are causal.
  Tensor forward(const SelfInput& in, const Context& context) const;  // [N, H*Kv]
  template <class V>
  void fields(V&) {}
};

struct SinkhornOptions {
  static constexpr std::string_view kName = "sinkhorn";
  static constexpr std::string_view kHelp =
      "its own block and one that is sorted beside it, a mixture of blocks (Tay et al. 2020, arXiv "
      "2002.11296)";
  static constexpr AttentionLimits kLimits = {
      .causal =
          "sorts by means of whole blocks, and a decoder must not see later keys; "
          "expected --attention-in encoder",
      .key_heads = "sorts the keys of each head; expected 0",
      .score_bias =
          "sorts blocks, whose distances are then lost; expected none, index, sinusoidal or "
          "learned",
      .rotary =
          "mixes keys, each of which is rotated in its own way; expected none, index, sinusoidal "
          "or learned"};

  int64_t block = 0;
  int64_t steps = 5;

  template <class V>
  void fields(V& v) {
    block_field(v, block);
    v("attention-sorting-steps", steps,
      {.help = "normalisations of rows and columns in sinkhorn attention", .min = 1, .max = 100});
  }
  // Throws OptionError.
  void check() const { check_given(kName, "--attention-block", block); }
  SinkhornAttention make(const AttentionDims&) const { return {block, steps}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_SINKHORN_H_
