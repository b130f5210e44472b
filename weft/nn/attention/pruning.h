// Attentions that lack some of the model's heads (Michel, Levy and Neubig 2019, arXiv 1905.10650).
#ifndef WEFT_NN_ATTENTION_PRUNING_H_
#define WEFT_NN_ATTENTION_PRUNING_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/nn/attention/observer.h"
#include "weft/options/fields.h"

namespace weft::nn {

// A stack whose heads can be pruned.
struct PrunableStack {
  std::string_view name;  // "encoder"
  int64_t depth = 0;
  bool has_cross_attention = false;
};

// How many heads each attention has, and how many of them have to remain.
struct HeadCounts {
  int64_t all = 1;
  int64_t least = 1;
};

struct PruningOptions {
  // "encoder.1.3" or, of cross-attention, "decoder-cross.2.4": layer and head from 1, heads with
  // the numbers that they have before any is pruned.
  std::vector<std::string> heads = {};

  bool is_on() const { return !heads.empty(); }
  // The pruned heads of an attention, from 0, in ascending order.
  std::vector<int64_t> pruned(const AttentionKey& attention) const;
  // Throws OptionError for a name that is not that of a head of these stacks, for one that is given
  // twice, and where fewer heads of an attention remain than have to.
  void check(std::span<const PrunableStack> stacks, const HeadCounts& counts) const;

  template <class V>
  void fields(V& v) {
    v("prune-heads", heads,
      {.help = "heads that the model lacks, as `weft inspect --ablate` counts them: "
               "STACK.LAYER.HEAD, of cross-attention STACK-cross.LAYER.HEAD, as in encoder.1.3 "
               "decoder-cross.2.4; --pretrained-model may have them (Michel et al. 2019, arXiv "
               "1905.10650)",
       .omitted_if = ""});
  }
};

// The numbers, from 0, of those of `heads` heads that are not pruned.
std::vector<int64_t> remaining_heads(int64_t heads, std::span<const int64_t> pruned);

// The attention whose parameters have this prefix, as "model.encoder.layers.0.self_attn"; its stack
// is a part of it.
std::optional<AttentionKey> attention_named(std::string_view prefix);

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_PRUNING_H_
