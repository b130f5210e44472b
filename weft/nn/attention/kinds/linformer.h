// Low-rank keys and values (Linformer, Wang et al. 2020, arXiv 2006.04768).
#ifndef WEFT_NN_ATTENTION_KINDS_LINFORMER_H_
#define WEFT_NN_ATTENTION_KINDS_LINFORMER_H_

#include "weft/nn/attention/kind.h"
#include "weft/nn/attention/self_input.h"
#include "weft/nn/parameters.h"

namespace weft::nn {

// Attention to k mixtures of a sequence's rows in place of the rows: keys E^T K and values F^T V,
// where of the learned E and F [max, k] a sequence of n rows takes the first n. Not causal: each
// mixture is of all rows.
struct LinformerAttention {
  static constexpr bool kHasQueries = true, kHasKeys = true;
  static int64_t dropout_streams(int64_t heads) { return heads; }

  Parameter key_mix, value_mix;  // E, F

  LinformerAttention(int64_t keys, int64_t max_positions);
  // Throws ShapeError for a sequence with more rows than E, and where the rows are causal.
  Tensor forward(const SelfInput& in, const Context& context) const;  // [N, H*Kv]
  template <class V>
  void fields(V& v) {
    v("k_mix.weight", key_mix);
    v("v_mix.weight", value_mix);
  }
};

struct LinformerOptions {
  static constexpr std::string_view kName = "linformer";
  static constexpr std::string_view kHelp =
      "--attention-keys learned mixtures of all (Wang et al. 2020, arXiv 2006.04768)";
  static constexpr AttentionLimits kLimits = {
      .causal =
          "mixes keys of whole sequences, and a decoder must not see later ones; "
          "expected --attention-in encoder",
      .score_bias =
          "scores mixtures of rows, which have no positions; expected none, index, sinusoidal or "
          "learned",
      .rotary =
          "mixes keys, each of which is rotated in its own way; expected none, index, sinusoidal "
          "or learned"};
  static constexpr bool kHasTables = true;

  int64_t keys = 0;

  template <class V>
  void fields(V& v) {
    v("attention-keys", keys,
      {.help = "mixtures of rows in linformer; required for it", .min = 0, .max = 1048576});
  }
  // Throws OptionError.
  void check() const { check_given(kName, "--attention-keys", keys); }
  LinformerAttention make(const AttentionDims& dims) const { return {keys, dims.max_positions}; }
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_KINDS_LINFORMER_H_
