// What a kind of self-attention is given.
#ifndef WEFT_NN_ATTENTION_SELF_INPUT_H_
#define WEFT_NN_ATTENTION_SELF_INPUT_H_

#include "weft/nn/context.h"
#include "weft/nn/position/position.h"

namespace weft::nn {

struct AttentionConfig;
class KvCache;

// The rows of a self-attention.
struct SelfLayout {
  const ops::LayoutPtr& rows;
  const AttentionPosition& position;
  bool causal = false;
};

// A kind of self-attention says which projections of x it has (kHasQueries, kHasKeys; values they
// all have) and how many RNG streams its dropouts take (dropout_streams(heads)), and names its own
// parameters in fields(). It computes the heads' outputs [N, H*Kv] before they are projected:
//   forward(input, context) of whole sequences,
//   prefill(input, cache, context) of prompts, or parts of them, whose rows are cached and attend
//     to those cached before them,
//   step(input, cache, context) of one row for each hypothesis, in the same way.
// What prefill() and step() compute for a row has the same bits, however the rows before it were
// cached. A kind that cannot be causal has neither.
// A kind may have output(x, y, context), which is the layer's output instead of the projection y;
// both are [N, D].
struct SelfInput {
  const Tensor& x;  // [N, D]
  Tensor q, k, v;   // [N, H*K], [N, G*K], [N, G*Kv]; empty where the kind does without
  const SelfLayout& self;
  const AttentionConfig& config;
};

}  // namespace weft::nn

#endif  // WEFT_NN_ATTENTION_SELF_INPUT_H_
